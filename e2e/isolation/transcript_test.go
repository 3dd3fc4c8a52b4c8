package isolation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// transcript is what came of a permutation.
type transcript struct {
	Events []event
	Took   time.Duration
	cut    bool // it was given up
}

// event is what is seen of a step, or of SQL around the steps. A step that waits has two.
type event struct {
	Step string
	What what
	// Of what has completed:
	Answers       []answer `json:",omitempty"`
	Notices       []string `json:",omitempty"`
	Notifications []string `json:",omitempty"`
}

type what string

const (
	setup     what = "setup" // or teardown, of all or of a session
	waiting   what = "waiting"
	completed what = "completed"
	hung      what = "hung" // it neither ended nor waits for a lock, and the permutation is given up
)

// answer is the result of a statement, or the error that ended the message.
type answer struct {
	Columns []string   `json:",omitempty"`
	Rows    [][]string `json:",omitempty"`
	Tag     string     `json:",omitempty"`
	Code    string     `json:",omitempty"`
	Message string     `json:",omitempty"`
}

// null stands for NULL in rows.
const null = `\N`

// readAnswer reads the result of a statement. Numbers of processes become the names of the sessions,
// in columns that are called so.
func readAnswer(r *pgconn.ResultReader, pids map[string]string) answer {
	var a answer
	for _, f := range r.FieldDescriptions() {
		a.Columns = append(a.Columns, f.Name)
	}
	for r.NextRow() {
		row := make([]string, len(a.Columns))
		for i, v := range r.Values() {
			row[i] = null
			if v != nil {
				row[i] = string(v)
			}
			if of, ok := pids[row[i]]; ok && strings.HasSuffix(a.Columns[i], "pid") {
				row[i] = "process of " + of
			}
		}
		a.Rows = append(a.Rows, row)
	}
	tag, _ := r.Close() // the error ends the message, which tells of it
	a.Tag = tag.String()
	return a
}

// unordered is the answer with its rows in an order of their own: without ORDER BY either server may choose.
func (a answer) unordered() answer {
	a.Rows = slices.Clone(a.Rows)
	slices.SortFunc(a.Rows, slices.Compare)
	return a
}

func (a answer) String() string {
	if a.Code != "" {
		return fmt.Sprintf("ERROR %s: %s\n", a.Code, a.Message)
	}
	var b strings.Builder
	if a.Columns != nil {
		fmt.Fprintln(&b, strings.Join(a.Columns, "|"))
	}
	for _, row := range a.Rows {
		fmt.Fprintln(&b, strings.Join(row, "|"))
	}
	fmt.Fprintln(&b, a.Tag)
	return b.String()
}

func (e event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Step, e.What)
	for _, a := range e.Answers {
		for line := range strings.Lines(a.String()) {
			b.WriteString("  " + line)
		}
	}
	for _, n := range e.Notices {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	for _, n := range e.Notifications {
		fmt.Fprintf(&b, "  NOTIFY %s\n", n)
	}
	return b.String()
}

func (t transcript) String() string {
	var b strings.Builder
	for _, e := range t.Events {
		b.WriteString(e.String())
	}
	return b.String()
}
