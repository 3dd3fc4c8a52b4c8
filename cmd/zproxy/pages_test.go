package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/parser"
	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
)

var rewritePages = flag.Bool("rewrite", false, "write the outputs of examples into the pages for users")

// TestPages plays the examples of the pages for users, in the order in which they stand. The language of a
// block says what becomes of it:
//
//	sql            runs on an empty database of the page; nothing may fail without being shown
//	sql other      runs there, too, in another session
//	sql demo       runs on what zproxy demo serves
//	sql dynamodb   runs on an empty database of the page on DynamoDB
//	sql elsewhere  wants what is not here, and is only parsed
//	output         is what the block before it prints, in psql's manner; plans stand without a heading
//	sh, ini        are commands and settings, which must exist
//	json, text     are none of these
//
// -rewrite writes what differs. Times are not compared.
func TestPages(t *testing.T) {
	for _, file := range pageFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p := &page{t: t, open: func(where string) store.Store {
				switch where {
				case "":
					return pebbleOn(t, vfs.NewMem())
				case "demo":
					return pebbleOn(t, demoDisk(t).CrashClone(vfs.CrashCloneCfg{}))
				case storeDynamo:
					return fakeDynamo(t)
				}
				t.Fatalf("no database is called %q", where)
				return nil
			}}
			p.play(file, *rewritePages)
		})
	}
}

// TestKeysPage wants what the page about keys shows on all stores.
func TestKeysPage(t *testing.T) {
	for name, o := range map[string]memstore.Options{"memory": {}, "unordered": {Unordered: true}} {
		t.Run(name, func(t *testing.T) {
			p := &page{t: t, open: func(string) store.Store { return memstore.New(o) }}
			p.play("../../docs/keys.md", false)
		})
	}
}

// pageFiles are the pages for users that have examples.
func pageFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages", err)
	}
	return append(files, "../../README.md")
}

func pebbleOn(t *testing.T, fs vfs.FS) store.Store {
	t.Helper()
	st, err := pebblestore.Open("db", pebblestore.Options{FS: fs, CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func fakeDynamo(t *testing.T) store.Store {
	t.Helper()
	st, err := dynamostore.Open(t.Context(), dynamostore.Options{Region: "eu-west-1", Endpoint: "http://127.0.0.1:1",
		HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// demoDisk has what the demo serves. It is loaded once.
var demoDisk = func() func(t *testing.T) *vfs.MemFS {
	disk := vfs.NewCrashableMem()
	load := sync.OnceValue(func() error {
		st, err := pebblestore.Open("db", pebblestore.Options{FS: disk, CacheBytes: 64 << 20})
		if err != nil {
			return err
		}
		ctx := context.Background()
		s, err := openQuietly(ctx, st, storePebble)
		if err != nil {
			return err
		}
		c, err := connect(s.db)
		if err != nil {
			return err
		}
		d := &demo{client: c, out: io.Discard}
		err = d.load(ctx, 1_000_000)
		c.session.Close()
		return errors.Join(err, st.Close())
	})
	return func(t *testing.T) *vfs.MemFS {
		if err := load(); err != nil {
			t.Fatal(err)
		}
		return disk
	}
}()

// openQuietly opens what answers from a store of a kind, with its settings, and logs nothing. Statistics
// are those that a page makes.
func openQuietly(ctx context.Context, st store.Store, kind string) (*server, error) {
	noEnvironment := func(string) (string, bool) { return "", false }
	o, err := parse("serve", []string{"--store", kind, "--autovacuum-naptime", "0"}, noEnvironment)
	if err != nil {
		return nil, err
	}
	return openOn(ctx, st, o, slog.New(slog.DiscardHandler))
}

// page plays the blocks of a page.
type page struct {
	t        *testing.T
	open     func(where string) store.Store
	sessions map[string]*pageClient
	printed  string // by the block before
	failed   error  // the first error in it
}

// fence matches the beginning of a block, with its language, and its end.
var fence = regexp.MustCompile("(?m)^```(.*)\n")

// play runs the examples of a page and compares what they print.
func (p *page) play(file string, rewrite bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.sessions = map[string]*pageClient{}
	var out strings.Builder
	rest := string(text)
	for {
		at := fence.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		language := rest[at[2]:at[3]]
		body, after, closed := strings.Cut(rest[at[1]:], "```\n")
		if !closed {
			p.t.Fatalf("a block without an end: %s", rest[at[0]:])
		}
		out.WriteString(rest[:at[1]] + p.block(language, body) + "```\n")
		rest = after
	}
	p.shown()
	out.WriteString(rest)
	switch got := out.String(); {
	case got == string(text):
	case rewrite:
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			p.t.Error(err)
		}
	default:
		p.t.Errorf("%s shows other outputs: go test ./cmd/zproxy -run TestPages -rewrite\n%s", file,
			firstDifference(string(text), got))
	}
}

// block runs a block, and says what it should be.
func (p *page) block(language, body string) string {
	kind, where, _ := strings.Cut(language, " ")
	if kind != "output" {
		p.shown()
	}
	switch kind {
	case "sql":
		if where != "elsewhere" {
			p.run(where, body)
		} else if _, err := parser.Parse(body); err != nil {
			p.t.Errorf("%v in\n%s", err, body)
		}
	case "output":
		printed := p.printed
		p.printed, p.failed = "", nil
		if timeless(printed) == timeless(body) {
			return body
		}
		return printed
	case "sh":
		for line := range strings.Lines(body) {
			checkCommand(p.t, strings.TrimSpace(line))
		}
	case "ini":
		checkConfig(p.t, body)
	case "text", "json":
	default:
		p.t.Errorf("a block in the language %q, which this test does not know:\n%s", language, body)
	}
	return body
}

// shown wants no error of the block before to be left that no output shows.
func (p *page) shown() {
	if p.failed != nil {
		p.t.Errorf("fails: %v", p.failed)
	}
	p.printed, p.failed = "", nil
}

// timeless is an output without what differs from run to run.
func timeless(output string) string {
	return regexp.MustCompile(`time=[\d.]+|(Planning|Execution) Time: [\d.]+`).ReplaceAllString(output, "")
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(w), len(g)) && w[i] == g[i] {
		i++
	}
	return fmt.Sprintf("line %d:\n- %s\n+ %s", i+1, strings.Join(w[i:min(i+8, len(w))], "\n- "),
		strings.Join(g[i:min(i+8, len(g))], "\n+ "))
}

// endOfStatement is the end of a line with the end of a statement.
var endOfStatement = regexp.MustCompile(`(?m);[ \t]*(--.*)?$`)

// statementEnd is where the first statement of a text ends, with what follows it in its line. The ends within the body
// of a function, between $$ and $$, are none.
func statementEnd(text string) int {
	for _, at := range endOfStatement.FindAllStringIndex(text, -1) {
		if strings.Count(text[:at[0]], "$$")%2 == 0 {
			return at[1]
		}
	}
	return len(text)
}

// run runs the statements of a block.
func (p *page) run(where, body string) {
	c := p.session(where)
	for body = strings.TrimSpace(body); body != ""; {
		end := statementEnd(body)
		sql := strings.TrimSpace(body[:end])
		body = strings.TrimSpace(body[end:])
		printed, err := c.print(p.t.Context(), sql)
		if err != nil && p.failed == nil {
			p.failed = fmt.Errorf("%s\n%w", sql, err)
		}
		if p.printed != "" && printed != "" {
			p.printed += "\n"
		}
		p.printed += printed
	}
}

// session is the one of a page with one of its databases.
func (p *page) session(where string) *pageClient {
	if c := p.sessions[where]; c != nil {
		return c
	}
	p.t.Helper()
	var db *session.DB
	if where == "other" {
		db = p.session("").db
	} else {
		st := p.open(where)
		p.t.Cleanup(func() { _ = st.Close() })
		kind := storePebble
		if where == storeDynamo {
			kind = where
		}
		s, err := openQuietly(p.t.Context(), st, kind)
		if err != nil {
			p.t.Fatal(err)
		}
		p.t.Cleanup(s.db.Close)
		db = s.db
	}
	of, err := db.Connect(session.Startup{User: "root", Database: "postgres", Internal: true})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(of.Close)
	p.sessions[where] = &pageClient{client: client{session: of}, db: db}
	return p.sessions[where]
}

// pageClient is a client that prints as psql does.
type pageClient struct {
	client
	db     *session.DB
	output strings.Builder
}

// Notice implements session.Client.
func (c *pageClient) Notice(n *sqlerr.Error) error {
	c.output.WriteString(noticeText("", n))
	return nil
}

var _ session.Client = (*pageClient)(nil)

// print runs a statement and gives what psql prints of it, but for the tag.
func (c *pageClient) print(ctx context.Context, sql string) (string, error) {
	c.result, c.output = result{}, strings.Builder{}
	err := c.session.Query(ctx, sql, c)
	switch {
	case err != nil:
		c.output.WriteString(noticeText(sql, sqlerr.From(err)))
	case len(c.columns) == 1 && c.columns[0].Name == "QUERY PLAN":
		for _, row := range c.rows {
			c.output.WriteString(" " + row[0] + "\n")
		}
	case c.columns != nil:
		printTable(&c.output, c.result)
	}
	return c.output.String(), err
}

// noticeText is a message as psql prints it; of an error the place in the statement is shown.
func noticeText(sql string, e *sqlerr.Error) string {
	severity := e.Severity
	if severity == "" {
		severity = "ERROR"
	}
	out := fmt.Sprintf("%s:  %s\n", severity, e.Message)
	if runes := []rune(sql); e.Position > 0 && e.Position <= len(runes) {
		before := string(runes[:e.Position-1])
		number, from := strings.Count(before, "\n")+1, strings.LastIndex(before, "\n")+1
		line, _, _ := strings.Cut(sql[from:], "\n")
		head := fmt.Sprintf("LINE %d: ", number)
		out += head + line + "\n" + strings.Repeat(" ", len(head)+len([]rune(before[from:]))) + "^\n"
	}
	for _, part := range []struct{ name, text string }{{"DETAIL", e.Detail}, {"HINT", e.Hint}} {
		if part.text != "" {
			out += part.name + ":  " + part.text + "\n"
		}
	}
	return out
}

// checkCommand wants the commands, settings and targets of a line of a shell to exist.
func checkCommand(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(line))
	if len(words) == 0 || strings.HasPrefix(line, "#") {
		return
	}
	switch filepath.Base(words[0]) {
	case "zproxy":
		checkFlags(t, line, words[1:])
	case "make":
		for _, target := range words[1:] {
			if !slices.Contains(targets(t), target) && !strings.Contains(target, "=") {
				t.Errorf("%s: make has no target %s", line, target)
			}
		}
	case "psql", "cd", "git", "go", "curl", "export":
	default:
		t.Errorf("a command that is not known: %s", line)
	}
}

// checkFlags wants a command line of zproxy to be one. What stands for a value, in capitals or as dots, is
// taken as it is.
func checkFlags(t *testing.T, line string, args []string) {
	t.Helper()
	command := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "help" || command == "version" || asksVersion(command):
		return
	case !slices.Contains([]string{"serve", "demo", "check", "inspect"}, command):
		t.Errorf("%s: there is no command %q", line, command)
		return
	}
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "..." })
	if _, err := fromFlags(command, args); err != nil && !strings.Contains(err.Error(), "wants a value") {
		t.Errorf("%s: %v", line, err)
	}
}

// targets are those of the Makefile.
func targets(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// checkConfig wants a file of settings to be one.
func checkConfig(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "zproxy.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := parse("serve", []string{"--config", path},
		func(string) (string, bool) { return "", false }); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

// TestCommandsInText wants the commands of zproxy, the targets of make and the tests that stand in the text
// of pages, between backquotes, to exist.
func TestCommandsInText(t *testing.T) {
	quoted := regexp.MustCompile("`([^`\n]+)`")
	for _, file := range append(pageFiles(t), "../../ARCHITECTURE.md", "../../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			switch words := strings.Fields(m[1]); {
			case len(words) > 1 && (filepath.Base(words[0]) == "zproxy" || words[0] == "make"):
				checkCommand(t, m[1])
			case len(words) > 1 && words[0] == "go" && words[1] == "test":
				checkGoTest(t, m[1], words[2:])
			case len(words) == 1 && strings.HasPrefix(words[0], "--"):
				name := strings.TrimPrefix(words[0], "--")
				if !slices.ContainsFunc(settingTable, func(s setting) bool { return s.name == name }) &&
					name != "version" {
					t.Errorf("%s: there is no flag %s", file, words[0])
				}
			}
		}
	}
}

// checkGoTest wants the packages of a run of tests to be there, and the tests that it names in one of them.
func checkGoTest(t *testing.T, line string, args []string) {
	t.Helper()
	var source strings.Builder
	for _, arg := range args {
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		files, _ := filepath.Glob(filepath.Join("../..", arg, "*_test.go"))
		if len(files) == 0 {
			t.Errorf("%s: no tests in %s", line, arg)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	if i := slices.Index(args, "-run"); i >= 0 && i+1 < len(args) {
		name, _, _ := strings.Cut(strings.Trim(args[i+1], "'^$"), "/")
		if !strings.Contains(source.String(), "func "+name) {
			t.Errorf("%s: there is no test %s", line, name)
		}
	}
}
