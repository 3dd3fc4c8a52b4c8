package regress

import (
	"fmt"
	"slices"
	"strings"
)

// result is what came of one file.
type result struct {
	name                     string
	statements, same, letter int
	hung                     bool
}

// tally counts a cause: the statements that have it themselves, and those that fail since an earlier one has it.
type tally struct{ itself, after int }

// report gathers what came of all files.
type report struct {
	files  []result
	causes map[string]*tally
	// examples has the first statement of each cause.
	examples map[string]string
}

// add judges the answers to a file.
func (r *report) add(name string, pieces []piece, want, got []answer, hung bool) result {
	out := result{name: name, hung: hung}
	c := causes{missing: map[string]string{}}
	for i, p := range pieces {
		if !p.counted || !want[i].reached {
			continue
		}
		out.statements++
		if got[i].reached && alike(p, want[i], got[i]) {
			out.same++
			if want[i].text == got[i].text {
				out.letter++
			}
			continue
		}
		cause, consequence := c.of(p, want[i], got[i])
		t := r.causes[cause]
		if t == nil {
			t = &tally{}
			r.causes[cause] = t
			r.examples[cause] = name + ": " + short(p.text)
		}
		if consequence {
			t.after++
		} else {
			t.itself++
		}
	}
	r.files = append(r.files, out)
	return out
}

// short is the begin of a statement, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(uncommented(text)), " ")
	if len(text) > 90 {
		text = strings.ToValidUTF8(text[:90], "") + " …"
	}
	return text
}

// shownCauses is how many causes the report lists.
const shownCauses = 60

func (r *report) String() string {
	var b strings.Builder
	var all result
	for _, f := range r.files {
		all.statements += f.statements
		all.same += f.same
		all.letter += f.letter
	}
	fmt.Fprintf(&b, "# PostgreSQL's regression suite\n\n`make regress` runs the suite of PostgreSQL 15's source package by psql on "+
		"PostgreSQL 15 and on zproxy, in the order of its schedule, and writes this page.\n\n"+
		"A statement counts as the same if rows, tag, SQLSTATE and message of the error are. The order of rows counts where "+
		"there is an ORDER BY. *To the letter* are those of which also notices, DETAIL, HINT, position and context are the "+
		"same. Where zproxy refuses to read a file of data itself, psql sends the file after that.\n\n"+
		"**%d of %d statements have the same answer: %s. To the letter: %s.**\n\n"+
		"| file | statements | same | percent | to the letter |\n| --- | ---: | ---: | ---: | ---: |\n",
		all.same, all.statements, percent(all.same, all.statements), percent(all.letter, all.statements))
	for _, f := range r.files {
		note := ""
		if f.hung {
			note = " (silent for too long)"
		}
		fmt.Fprintf(&b, "| %s%s | %d | %d | %s | %s |\n", f.name, note, f.statements, f.same,
			percent(f.same, f.statements), percent(f.letter, f.statements))
	}
	fmt.Fprintf(&b, "\n## Causes of the others\n\nThe message of zproxy's error, without names and numbers. *After it* are "+
		"statements that fail because an earlier one did.\n\n| statements | after it | cause | the first |\n| ---: | ---: | --- | --- |\n")
	for _, cause := range r.sorted() {
		t := r.causes[cause]
		fmt.Fprintf(&b, "| %d | %d | %s | `%s` |\n", t.itself, t.after, cell(cause), cell(r.examples[cause]))
	}
	return b.String()
}

// sorted are the causes, the most frequent first.
func (r *report) sorted() []string {
	var out []string
	for cause := range r.causes {
		out = append(out, cause)
	}
	slices.SortFunc(out, func(a, b string) int {
		x, y := r.causes[a], r.causes[b]
		if d := (y.itself + y.after) - (x.itself + x.after); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), shownCauses)]
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "`", "'").Replace(text)
}
