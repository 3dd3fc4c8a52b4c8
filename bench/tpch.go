package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// tpchMode is what the queries may use of the machine.
type tpchMode struct {
	name    string
	pinned  bool // both servers run on one core
	workers int  // max_parallel_workers_per_gather
}

var tpchModes = []tpchMode{{"one core", true, 0}, {"all cores", false, 2}}

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
	out := &section{unit: milliseconds, note: "cores"}
	out.about = []string{fmt.Sprintf("TPC-H at scale 1 by go-tpc (`%s`); the answers were compared. A sample is one run "+
		"of a query, from sending it to the last row, after one that is not counted; runs alternate between the sides. A "+
		"side has %v for each query. On one core both servers are pinned to the same one and have no parallel workers; "+
		"else max_parallel_workers_per_gather is 2.", tpccModule, tpchLimit)}
	var goals []goal
	for _, mode := range tpchModes {
		lines, err := b.timeTPCH(ctx, mode, queries)
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, lines...)
		goals = append(goals, tpchGoals(mode, lines, out.unit)...)
	}
	all := []judged{{name: b.sides[0].name}, {name: b.sides[1].name}}
	flown := table{heads: []string{"query", "rows out of joins of " + b.sides[0].name, "times those of the other side"}}
	for i, query := range queries {
		name := fmt.Sprintf("Q%d", i+1)
		rows, err := b.judgeTPCH(ctx, conns, name, query, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		flown.add(name, thousands(rows[0]), digits((rows[0]+1)/(rows[1]+1)))
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
func tpchGoals(mode tpchMode, lines []line, u unit) []goal {
	logs, worst := 0.0, math.Inf(1)
	for i := range lines {
		r := lines[i].ratio(u)
		logs, worst = logs+math.Log(r), min(worst, r)
	}
	mean := math.Exp(logs / float64(len(lines)))
	return []goal{
		{what: "times faster, geometric mean, " + mode.name, wanted: 1.2, reached: mean, atLeast: true},
		{what: "times faster, the slowest query, " + mode.name, wanted: 0.5, reached: worst, atLeast: true},
	}
}

// timeTPCH times the queries on both sides in turn. A side on which one does not end in time is not asked again.
func (b *bench) timeTPCH(ctx context.Context, mode tpchMode, queries []string) ([]line, error) {
	if mode.pinned {
		_, unpin, err := pinSides(ctx, b.sides)
		if err != nil {
			return nil, err
		}
		defer unpin()
	}
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		return nil, err
	}
	defer closeBoth()
	for _, conn := range conns {
		err := execAll(ctx, conn, "SET work_mem = '64MB'",
			fmt.Sprintf("SET max_parallel_workers_per_gather = %d", mode.workers),
			fmt.Sprintf("SET statement_timeout = %d", tpchLimit.Milliseconds()))
		if err != nil {
			return nil, err
		}
	}
	var out []line
	for i, query := range queries {
		l := line{name: fmt.Sprintf("Q%d", i+1), note: mode.name}
		var late [2]bool
		for round := -1; round < b.rounds; round++ {
			for side, conn := range conns {
				if late[side] {
					continue
				}
				began := time.Now()
				_, err := readAll(ctx, conn, query, false)
				took := time.Since(began)
				if late[side] = canceled(err); late[side] {
					took = tpchLimit
				} else if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", b.sides[side].name, l.name, err)
				}
				if round >= 0 || late[side] {
					l.sides[side] = append(l.sides[side], float64(took.Microseconds())/1000)
				}
			}
		}
		out = append(out, l)
	}
	return out, nil
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
			err = execAll(ctx, conns[i], "SET work_mem = '64MB'")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return rest(ctx)
}

// judgeTPCH judges the plans of a query on both sides, says how many rows came out of joins, and compares the answers.
func (b *bench) judgeTPCH(ctx context.Context, conns [2]*pgx.Conn, name, query string,
	all []judged) ([2]float64, error) {
	var flown [2]float64
	var late [2]bool
	for i, conn := range conns {
		p, err := explainWithin(ctx, conn, query, tpchLimit)
		if late[i] = canceled(err); late[i] {
			continue
		}
		if err != nil {
			return flown, fmt.Errorf("%s: %w", b.sides[i].name, err)
		}
		all[i].add(name, p)
		flown[i] = p.Plan.flown()
	}
	return flown, b.sameAnswers(ctx, conns, query, late)
}

// tpchHelp lets the queries end for the sake of their answers that do not end without it.
const tpchHelp = "CREATE INDEX lineitem_help ON lineitem (l_partkey, l_suppkey)"

// sameAnswers compares what the sides answer. A side that was late gets an index for it.
func (b *bench) sameAnswers(ctx context.Context, conns [2]*pgx.Conn, query string, late [2]bool) error {
	var answers [2][]string
	for i, conn := range conns {
		var err error
		if late[i] {
			err = execAll(ctx, conn, tpchHelp)
		}
		if err == nil {
			answers[i], err = readAll(ctx, conn, query, true)
		}
		if err == nil && late[i] {
			err = execAll(ctx, conn, "DROP INDEX lineitem_help")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.sides[i].name, err)
		}
	}
	if !slices.Equal(answers[0], answers[1]) {
		return fmt.Errorf("the sides answer %d and %d rows that are not the same", len(answers[0]), len(answers[1]))
	}
	return nil
}
