package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testpage"
)

const documentsPage = "../docs/documents.md"

// documents are the files of testdata/documents, one for each document, in the order of the page.
var documents = []string{"z_order", "partition_keys", "spanner", "tablestore", "lindorm", "beyond"}

// verdicts are the commands of a file that tell of one thing that its document says, with the words in which the
// page counts them.
var verdicts = []struct{ command, words string }{
	{"row", "working"},
	{"other", "of the document's own system"},
	{"not-yet", "not yet"},
	{"not-part", "not part of zproxy"},
}

// TestPagesOfDocuments plays what shows that zproxy does as five documents say, and wants the page to say so. The
// commands of a file:
//
//	document  begins the page's part: the first line is its heading, the others are text. Its argument is what the
//	          ids of its rows begin with; behind that they are counted
//	chapter   begins a chapter of the part
//	define    runs statements that the rows below need, which the page shows
//	row       the first line is what the document says, the others are statements that show it. The answer is that of
//	          the last one; with show=(word) those of its lines that have the word
//	other     is a matter of the document's own system: the second line is the reason; statements may follow
//	not-yet   does not work yet: the second line is what fails, which statements may show
//	not-part  is not to be done: the second line is the reason
//
// Statements run on Pebble, whose answer is shown, and on DynamoDB, where they fail only if they do on Pebble; on=(...)
// names one of them. -rewrite writes the answers.
func TestPagesOfDocuments(t *testing.T) {
	p := &documentsPlayer{}
	for _, name := range documents {
		p.stores = map[string]*player{"pebble": newPlayer(t, openDB(t, onPebble).url()+adviceOn),
			"dynamodb": newPlayer(t, openDB(t, onFake).url()+adviceOn)}
		datadriven.RunTest(t, "testdata/documents/"+name, p.run)
	}
	testpage.Check(t, documentsPage, p.text(), *writePage)
}

// documentsPlayer plays the files and makes the page.
type documentsPlayer struct {
	stores map[string]*player
	page   strings.Builder
	parts  []documentPart
}

// documentPart is a heading of the page with how many rows of it have which verdict.
type documentPart struct {
	heading string
	ids     string // what those of its rows begin with
	rows    int
	count   map[string]int
}

func (p *documentsPlayer) run(t *testing.T, d *datadriven.TestData) string {
	line, rest, _ := strings.Cut(d.Input, "\n")
	switch d.Cmd {
	case "document":
		p.parts = append(p.parts, documentPart{heading: line, ids: d.CmdArgs[0].Key, count: map[string]int{}})
		fmt.Fprintf(&p.page, "\n## %s\n\n%s\n", line, rest)
		return ""
	case "chapter":
		fmt.Fprintf(&p.page, "\n### %s\n\n", line)
		return ""
	case "define":
		for _, store := range []string{"pebble", "dynamodb"} {
			if d.HasArg("on") && !slices.Contains(vals(d, "on"), store) {
				continue
			}
			if answer := p.answer(store, d.Input); fails(answer) {
				t.Errorf("%s: %s: %s", d.Pos, store, answer)
			}
		}
		fmt.Fprintf(&p.page, "\n```sql elsewhere\n%s\n```\n\n", d.Input)
		return ""
	}
	return p.row(t, d)
}

func vals(d *datadriven.TestData, key string) []string {
	arg, _ := d.Arg(key)
	return arg.Vals
}

// row plays one row, and adds its line to the page.
func (p *documentsPlayer) row(t *testing.T, d *datadriven.TestData) string {
	if !slices.ContainsFunc(verdicts, func(v struct{ command, words string }) bool { return v.command == d.Cmd }) {
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	part := &p.parts[len(p.parts)-1]
	part.rows++
	part.count[d.Cmd]++
	id := fmt.Sprintf("%s-%d", part.ids, part.rows)
	if d.CmdArgs[0].Key != id {
		t.Errorf("%s: it should be %s", d.Pos, id)
	}
	text, sql, _ := strings.Cut(d.Input, "\n")
	if d.Cmd != "row" {
		var why string
		why, sql, _ = strings.Cut(sql, "\n")
		text += map[string]string{"not-yet": " *Not yet:* ", "not-part": " *Not part:* "}[d.Cmd]
		if d.Cmd == "other" {
			text += " *There:* "
		}
		text += why
	}
	fmt.Fprintf(&p.page, "- **%s** %s", id, text)
	if sql == "" {
		p.page.WriteString("\n")
		return ""
	}
	stores := []string{"pebble", "dynamodb"}
	if d.HasArg("on") {
		stores = vals(d, "on")
	}
	answer := p.answer(stores[0], sql)
	shown := decisive(answer, vals(d, "show"))
	if len(shown) == 0 || d.Cmd == "row" && fails(shown) && !d.HasArg("show") {
		t.Errorf("%s: not what is to be shown:\n%s", d.Pos, strings.Join(answer, "\n"))
	}
	if len(stores) == 2 {
		if other := p.answer(stores[1], sql); fails(other) != fails(answer) {
			t.Errorf("%s: on DynamoDB: %s", d.Pos, strings.Join(other, "\n"))
		}
	} else if stores[0] == "dynamodb" {
		p.page.WriteString(" On DynamoDB:")
	}
	fmt.Fprintf(&p.page, " %s → %s\n", code(strings.Join(strings.Fields(sql), " ")), code(strings.Join(shown, " / ")))
	return strings.Join(shown, "\n") + "\n"
}

// fails tells of an answer whether it is an error.
func fails(answer []string) bool {
	return slices.ContainsFunc(answer, func(line string) bool { return strings.HasPrefix(line, "ERROR") })
}

// decisive are the lines that have one of the words, or without words all but hints and details.
func decisive(lines, words []string) (out []string) {
	for _, line := range lines {
		has := func(word string) bool { return strings.Contains(line, word) }
		more := strings.HasPrefix(line, "HINT") || strings.HasPrefix(line, "DETAIL")
		if slices.ContainsFunc(words, has) || len(words) == 0 && !more {
			out = append(out, line)
		}
	}
	return out
}

// code is a text between as many backquotes as it takes.
func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// answer runs statements that end with lines, and gives the lines of the answer to the last one, or to the
// one that fails. Behind the first line of COPY FROM STDIN stands what is copied.
func (p *documentsPlayer) answer(store, text string) (lines []string) {
	c := p.stores[store]
	var results []*pgconn.Result
	var failed error
	for _, sql := range strings.Split(text, ";\n") {
		c.notices = nil
		if copied, data, ok := strings.Cut(sql, "FROM STDIN"); ok {
			_, failed = c.copy(copied + "FROM STDIN" + data)
		} else {
			results, failed = c.send(sql)
		}
		if failed != nil {
			break
		}
	}
	show := func(c *player, r *pgconn.Result) string {
		if r.FieldDescriptions == nil {
			return c.tag(r)
		}
		var out strings.Builder
		for _, row := range r.Rows {
			var cells []string
			for _, v := range row {
				cells = append(cells, cell(v))
			}
			out.WriteString(strings.Join(cells, " | ") + "\n")
		}
		return out.String()
	}
	answer, _ := c.shown(text, results, show, failed)
	for line := range strings.Lines(answer) {
		line = strings.TrimPrefix(strings.TrimSpace(measured.ReplaceAllString(line, "")), "->  ")
		if line != "" && (failed == nil || ofMessage.MatchString(line)) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return []string{"no rows"}
	}
	return lines
}

// ofMessage matches the lines of messages, and not where in a statement an error is.
var ofMessage = regexp.MustCompile(`^(ERROR|NOTICE|DETAIL|HINT)`)

// text is the whole page.
func (p *documentsPlayer) text() string {
	var b strings.Builder
	b.WriteString(`# Five documents, line by line

zproxy follows five documents about keys and indexes. For each mechanism, feature, limit, recommendation, example and number in
them this page has a line: what the document says, a statement that shows how zproxy follows it, and the decisive part of its
answer. Where there is no such statement the line says why. Statements run on the embedded store, whose
answer is shown, and on DynamoDB, unless the line names one, and with the setting zproxy.advice = portable. The documents' own examples, with plans and results, are in
` + "`e2e/testdata/zproxy/documents`" + `. This page is made by a test that runs them: ` + "`go test ./e2e -run TestPagesOfDocuments -write-page`" + `.

`)
	for _, part := range p.parts {
		var counts []string
		for _, v := range verdicts {
			if n := part.count[v.command]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, v.words))
			}
		}
		fmt.Fprintf(&b, "- %s: %s\n", part.heading, strings.Join(counts, ", "))
	}
	b.WriteString(p.page.String())
	return b.String()
}
