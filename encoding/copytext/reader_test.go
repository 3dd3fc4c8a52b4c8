package copytext

import (
	"context"
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
}

// TestScripts runs the files in testdata, which hold what PostgreSQL 15 answers: with
// -postgres the test asks it again. Each line of a script is the names of the columns,
// an option, or a quoted piece of the data.
func TestScripts(t *testing.T) {
	theirs := connect(context.Background(), t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			a := parseAttempt(t, d)
			got := a.run(false)
			if cut := a.run(true); cut != got {
				d.Fatalf(t, "byte by byte:\n%s", cut)
			}
			if theirs != nil && d.Cmd == "copy" {
				if want := theirs(a); want != got {
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
		case word == "columns":
			a.columns = strings.Fields(rest)
		default:
			if strings.HasPrefix(rest, `"`) {
				rest = unquote(t, d, rest)
			}
			a.options = append(a.options, Option{Name: word, Value: rest})
		}
	}
	return a
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
	format, err := ParseOptions(a.options)
	if err != nil {
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
