package isolation

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// expected is what came of the permutations of each spec. Its file has a line for each spec, and below it a line for
// each verdict with the numbers of its permutations, from 1.
type expected map[string]*outcome

// outcome is what came of the permutations of one spec.
type outcome struct {
	verdicts map[int]verdict
	notes    []string // written by hand
}

const header = `# What came of each permutation of the isolation specs on zproxy, compared with PostgreSQL: written by
# make isolation ARGS=-rewrite. Lines that begin with "note" are written by hand and kept.
`

func readExpected(text string) (expected, error) {
	out, name := expected{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inner, indented := strings.CutPrefix(line, "  ")
		switch note, isNote := strings.CutPrefix(inner, "note: "); {
		case line == "" || line[0] == '#':
		case !indented:
			name, _, _ = strings.Cut(line, ":")
			out[name] = &outcome{verdicts: map[int]verdict{}}
		case out[name] == nil:
			return nil, fmt.Errorf("%q belongs to no spec", line)
		case isNote:
			out[name].notes = append(out[name].notes, note)
		default:
			if err := out[name].read(inner); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return out, nil
}

// read reads a line of an outcome.
func (o *outcome) read(line string) error {
	head, reason, _ := strings.Cut(line, ": ")
	fields := strings.Fields(head)
	c := slices.Index(classes, fields[0])
	if c < 0 {
		return fmt.Errorf("%q is no verdict", fields[0])
	}
	for _, numbers := range fields[1:] {
		first, last, more := strings.Cut(numbers, "-")
		if !more {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from > to {
			return fmt.Errorf("%q are no numbers of permutations", numbers)
		}
		for i := from; i <= to; i++ {
			o.verdicts[i] = verdict{class(c), reason}
		}
	}
	return nil
}

func (e expected) String() string {
	var b strings.Builder
	b.WriteString(header)
	fmt.Fprintf(&b, "# %s\n", e.total())
	for name := range sortedKeys(e) {
		o := e[name]
		fmt.Fprintf(&b, "\n%s: %s\n", name, o.count())
		for _, note := range o.notes {
			fmt.Fprintf(&b, "  note: %s\n", note)
		}
		groups := map[verdict][]int{}
		for i := range sortedKeys(o.verdicts) {
			groups[o.verdicts[i]] = append(groups[o.verdicts[i]], i)
		}
		first := func(x, y verdict) int { return groups[x][0] - groups[y][0] }
		for _, v := range slices.SortedFunc(maps.Keys(groups), first) {
			fmt.Fprintf(&b, "  %s%s", v.class, ranges(groups[v]))
			if v.reason != "" {
				fmt.Fprintf(&b, ": %s", strings.ReplaceAll(v.reason, "\n", " "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// ranges writes numbers that ascend.
func ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if fmt.Fprintf(&b, " %d", numbers[i]); j > i {
			fmt.Fprintf(&b, "-%d", numbers[j])
		}
		i = j + 1
	}
	return b.String()
}

// against says which verdicts are worse than what is expected, and which are better.
func (o *outcome) against(got map[int]verdict) (worse, better []string) {
	for i := range sortedKeys(got) {
		v, before := got[i], o.verdicts[i]
		line := fmt.Sprintf("permutation %d was %s and is %s", i, before.class, v.class)
		switch {
		case v.class < before.class:
			worse = append(worse, line+": "+v.reason)
		case v.class > before.class:
			better = append(better, line)
		}
	}
	return worse, better
}

// count is how many permutations there are of each class.
type count [4]int

func (o *outcome) count() (n count) {
	for _, v := range o.verdicts {
		n[v.class]++
	}
	return n
}

func (e expected) total() (n count) {
	for _, o := range e {
		for c, m := range o.count() {
			n[c] += m
		}
	}
	return n
}

func (n count) String() string {
	supported := n[same] + n[different]
	text := fmt.Sprintf("%d permutations, %d unsupported, %d different, %d same",
		supported+n[unsupported], n[unsupported], n[different], n[same])
	if supported > 0 {
		text += fmt.Sprintf(", %.1f %% of the supported", 100*float64(n[same])/float64(supported))
	}
	return text
}

func sortedKeys[K int | string, V any](m map[K]V) iter.Seq[K] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

func load(t testing.TB, path string) expected {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := readExpected(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// TestExpected reads lists of what is expected and writes them again. The command against compares two
// specs of a list.
func TestExpected(t *testing.T) {
	datadriven.RunTest(t, "testdata/lists", func(t *testing.T, d *datadriven.TestData) string {
		e, err := readExpected(strings.ReplaceAll(d.Input, "\n.", "\n"))
		if err != nil {
			return err.Error()
		}
		if d.Cmd == "against" {
			worse, better := e["expected"].against(e["got"].verdicts)
			return fmt.Sprintf("worse:\n%s\nbetter:\n%s", strings.Join(worse, "\n"), strings.Join(better, "\n"))
		}
		return strings.ReplaceAll(strings.TrimPrefix(e.String(), header), "\n\n", "\n.\n")
	})
}
