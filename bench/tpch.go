package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	tpchQueries = 22
	// tpchLimit is how long a query may run.
	tpchLimit = 30 * time.Second
)

// tpchTables are in the order in which they are filled.
var tpchTables = []string{"nation", "region", "part", "supplier", "partsupp", "customer", "orders", "lineitem"}

// loadTPCH makes go-tpc's tables at scale 1 on a side. go-tpc writes the rows into files of a folder, and they are
// copied from there: its own way, an INSERT for each few rows, takes much longer on both sides.
func loadTPCH(ctx context.Context, tool goTPC, s *side, conn *pgx.Conn, dir string) error {
	for _, t := range tpchTables {
		if err := execAll(ctx, conn, "DROP TABLE IF EXISTS "+t); err != nil {
			return err
		}
	}
	cmd, err := tool.command(ctx, s, "tpch", "prepare", "--sf", "1", "--output-type", "csv", "--output-dir", dir)
	if err != nil {
		return err
	}
	if err := runCommand(cmd); err != nil {
		return err
	}
	for _, t := range tpchTables {
		if err := copyFile(ctx, conn, t, filepath.Join(dir, "postgres."+t+".csv")); err != nil {
			return err
		}
		if err := execAll(ctx, conn, s.atRest(t)...); err != nil {
			return err
		}
	}
	return execAll(ctx, conn, "ANALYZE")
}

// copyFile copies a file of go-tpc into a table.
func copyFile(ctx context.Context, conn *pgx.Conn, table, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = conn.PgConn().CopyFrom(ctx, f, "COPY "+table+" FROM STDIN (FORMAT csv, DELIMITER '|')")
	return err
}

// tpchTexts are the queries, as the source of go-tpc has them for PostgreSQL: the module is fetched with the program.
func tpchTexts(ctx context.Context) ([]string, error) {
	module, version, _ := strings.Cut(tpccModule, "@")
	root := strings.TrimSuffix(module, "/cmd/go-tpc") + "@" + version
	text, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", root).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download %s: %w", root, err)
	}
	var fetched struct{ Dir string }
	if err := json.Unmarshal(text, &fetched); err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(fetched.Dir, "tpch", "query.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	constants := stringConstants(file)
	out := make([]string, tpchQueries)
	for i := range out {
		name := fmt.Sprintf("q%dpg", i+1)
		text, ok := constants[name]
		if !ok {
			return nil, fmt.Errorf("%s has no query %s", root, name)
		}
		text = strings.ReplaceAll(text, "/*PLACEHOLDER*/", "")
		out[i] = strings.TrimSuffix(strings.TrimSpace(text), ";")
	}
	return out, nil
}

// stringConstants are the values of a file's constants that are literals.
func stringConstants(file *ast.File) map[string]string {
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				out[spec.Names[i].Name], _ = strconv.Unquote(literal.Value) // a file that was parsed has no other ones
			}
		}
		return false
	})
	return out
}

// measureTPCH compares answers, times, estimates and join orders over TPC-H's queries.
func measureTPCH(ctx context.Context, b *bench) (*section, error) {
	queries, err := tpchTexts(ctx)
	if err != nil {
		return nil, err
	}
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		return nil, err
	}
	defer closeBoth()
	if err := b.fillTPCH(ctx, conns); err != nil {
		return nil, err
	}
	goals := b.memoryGoals("TPC-H at scale 1 is loaded")
	out := &section{unit: milliseconds, note: "cores"}
	out.about = []string{fmt.Sprintf("TPC-H at scale 1 by go-tpc (`%s`); the answers were compared. ", tpccModule) +
		modesNote(tpchLimit)}
	named := make([]titled, len(queries))
	for i, query := range queries {
		named[i] = titled{fmt.Sprintf("Q%d", i+1), query}
	}
	for _, m := range modes {
		lines, err := b.timeQueries(ctx, m, named, tpchLimit)
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, lines...)
		goals = append(goals, tpchGoals(m, lines, out.unit)...)
	}
	goals = append(goals, b.memoryGoals("the queries have run")...)
	all := []judged{{name: b.sides[0].name}, {name: b.sides[1].name}}
	flown := table{heads: []string{"query", "rows out of joins of " + b.sides[0].name, "times those of the other side"}}
	for _, q := range named {
		rows, err := b.judgeTPCH(ctx, conns, q, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		flown.add(q.name, thousands(rows[0]), digits((rows[0]+1)/(rows[1]+1)))
	}
	more, err := againWithSample(ctx, b, conns, queries)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	out.tables = []table{goalTable(goals), flown, judgedTable(all), judgedGoals(all)}
	return out, nil
}

// tpchGoals are the figures that the times of a mode should reach.
func tpchGoals(m mode, lines []line, u unit) []goal {
	mean, slowest := speeds(lines, u)
	return []goal{
		{what: "times faster, geometric mean, " + m.name, wanted: 1.2, reached: mean, atLeast: true},
		{what: "times faster, the slowest query, " + m.name, wanted: 0.5, reached: slowest.ratio(u), atLeast: true},
	}
}

// mostResident is how many GB zproxy may have resident.
const mostResident = 2

// memoryGoals are how much memory each zproxy has when something is done.
func (b *bench) memoryGoals(when string) (out []goal) {
	for _, s := range b.sides {
		if gb, ok := s.resident(); ok && s.dialect == zproxy {
			what := fmt.Sprintf("GB resident when %s, %s", when, s.name)
			out = append(out, goal{what: what, wanted: mostResident, reached: gb})
		}
	}
	return out
}

// fillTPCH fills the tables of both sides.
func (b *bench) fillTPCH(ctx context.Context, conns [2]*pgx.Conn) error {
	tool, remove, err := b.goTPC(ctx)
	if err != nil {
		return err
	}
	defer remove()
	dir, err := os.MkdirTemp("", "zproxy-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, s := range b.sides {
		err := loadTPCH(ctx, tool, s, conns[i], dir)
		if err == nil {
			err = execAll(ctx, conns[i], "SET work_mem = '"+modeMemory+"'")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return rest(ctx)
}

// judgeTPCH judges the plans of a query on both sides, says how many rows came out of joins, and compares the answers.
func (b *bench) judgeTPCH(ctx context.Context, conns [2]*pgx.Conn, q titled, all []judged) ([2]float64,
	error) {
	var flown [2]float64
	var late [2]bool
	for i, conn := range conns {
		p, err := explainWithin(ctx, conn, q.query, tpchLimit)
		if late[i] = canceled(err); late[i] {
			continue
		}
		if err != nil {
			return flown, fmt.Errorf("%s: %w", b.sides[i].name, err)
		}
		all[i].add(q.name, p)
		flown[i] = p.Plan.flown()
	}
	return flown, b.sameAnswers(ctx, conns, q.query, late)
}

// tpchHelp lets the queries end for the sake of their answers that do not end without it.
const tpchHelp = "CREATE INDEX lineitem_help ON lineitem (l_partkey, l_suppkey)"

// sameAnswers compares what the sides answer. A side that was late gets an index for it.
func (b *bench) sameAnswers(ctx context.Context, conns [2]*pgx.Conn, query string, late [2]bool) error {
	onLate := func(statement string) error {
		for i, conn := range conns {
			if !late[i] {
				continue
			}
			if err := execAll(ctx, conn, statement); err != nil {
				return fmt.Errorf("%s: %w", b.sides[i].name, err)
			}
		}
		return nil
	}
	if err := onLate(tpchHelp); err != nil {
		return err
	}
	if err := b.compareAnswers(ctx, conns, query); err != nil {
		return err
	}
	return onLate("DROP INDEX lineitem_help")
}
