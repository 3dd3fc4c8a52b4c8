package copytext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"

	"zproxy/sqlerr"
)

// attempt is a COPY FROM with its data.
type attempt struct {
	columns []string
	options []Option
	data    string
	rows    [][]Field // of a COPY TO
}

// TestScripts runs the files in testdata, which hold what PostgreSQL 15 answers: with
// -postgres the test asks it again. Each line of a script is the names of the columns,
// an option, or a quoted piece of the data.
func TestScripts(t *testing.T) {
	theirs := connect(context.Background(), t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			a := parseAttempt(t, d)
			var got string
			if d.Cmd == "write" {
				got = a.write()
			} else {
				got = a.run(false)
				if cut := a.run(true); cut != got {
					d.Fatalf(t, "byte by byte:\n%s", cut)
				}
			}
			if theirs != nil && d.Cmd != "here" {
				if want := theirs(a, d.Cmd); want != got {
					d.Fatalf(t, "got:\n%s\nPostgreSQL:\n%s", got, want)
				}
			}
			return got
		})
	})
}

func parseAttempt(t *testing.T, d *datadriven.TestData) attempt {
	a := attempt{}
	for _, line := range strings.Split(d.Input, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, `"`):
			a.data += unquote(t, d, line)
		case strings.HasPrefix(line, "["):
			a.rows = append(a.rows, parseRow(t, d, line))
		case word == "columns":
			a.columns = strings.Fields(rest)
		default:
			if strings.HasPrefix(rest, `"`) {
				rest = unquote(t, d, rest)
			}
			o := Option{Name: word, Value: rest}
			if strings.HasPrefix(word, "force_") && rest != "*" {
				o = Option{Name: word, List: strings.Split(rest, ", ")}
			}
			a.options = append(a.options, o)
		}
	}
	return a
}

func parseRow(t *testing.T, d *datadriven.TestData, line string) []Field {
	var values []*string
	if err := json.Unmarshal([]byte(line), &values); err != nil {
		d.Fatalf(t, "%v", err)
	}
	var row []Field
	for _, v := range values {
		if v == nil {
			row = append(row, Field{Null: true})
			continue
		}
		row = append(row, Field{Text: *v})
	}
	return row
}

// write shows what a COPY TO sends, line by line, or else the error.
func (a attempt) write() string {
	format, err := ParseOptions(a.options, true)
	if err != nil {
		return showError(err, 0)
	}
	if err := format.CheckColumns(a.columns); err != nil {
		return showError(err, 0)
	}
	w := NewWriter(format, a.columns)
	out := w.AppendHeader(nil)
	for _, row := range a.rows {
		for _, f := range row {
			if f.Null {
				out = w.AppendNull(out)
				continue
			}
			out = w.AppendField(out, []byte(f.Text))
		}
		out = w.EndRow(out)
	}
	return showLines(string(out))
}

func showLines(data string) string {
	var out strings.Builder
	for _, line := range strings.SplitAfter(data, "\n") {
		if line != "" {
			out.WriteString(strconv.Quote(line) + "\n")
		}
	}
	return out.String()
}

func unquote(t *testing.T, d *datadriven.TestData, s string) string {
	s, err := strconv.Unquote(s)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return s
}

// run shows the rows, or else the error.
func (a attempt) run(bytewise bool) string {
	format, err := ParseOptions(a.options, false)
	if err != nil {
		return showError(err, 0)
	}
	if err := format.CheckColumns(a.columns); err != nil {
		return showError(err, 0)
	}
	var in io.Reader = strings.NewReader(a.data)
	if bytewise {
		in = iotest.OneByteReader(in)
	}
	r := NewReader(in, format, a.columns)
	var out strings.Builder
	for {
		fields, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			return showError(err, r.Line())
		}
		out.WriteString(showRow(fields))
	}
}

func showRow(fields []Field) string {
	if len(fields) == 0 {
		return "empty\n"
	}
	var out []string
	for _, f := range fields {
		if f.Null {
			out = append(out, "NULL"+f.Text)
			continue
		}
		out = append(out, strconv.Quote(f.Text))
	}
	return strings.Join(out, " ") + "\n"
}

func showError(err error, line int64) string {
	e := sqlerr.From(err)
	out := fmt.Sprintf("%s %s\n", e.Code, e.Message)
	if e.Hint != "" {
		out += "hint: " + e.Hint + "\n"
	}
	if line > 0 {
		out += fmt.Sprintf("line %d\n", line)
	}
	return out
}
