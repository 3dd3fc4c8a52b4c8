package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	tpccModule    = "github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12"
	tpccTime      = 15 * time.Second
	tpccCheckTime = time.Minute
)

// tpccThreads are the numbers of clients, each with a line.
var tpccThreads = []int{4, 16}

// measureTPCC runs the TPC-C of go-tpc over one warehouse, and its check in the end.
func measureTPCC(ctx context.Context, b *bench) (*section, error) {
	tool, clean, err := b.goTPC(ctx)
	if err != nil {
		return nil, err
	}
	defer clean()
	for _, s := range b.sides {
		if _, err := tool.run(ctx, s, "cleanup"); err != nil {
			return nil, err
		}
		if _, err := tool.run(ctx, s, "prepare", "--no-check"); err != nil {
			return nil, err
		}
	}
	out := &section{unit: unit{"tpmC", true}, note: "failed", about: []string{
		fmt.Sprintf("TPC-C by go-tpc (`%s`) over one warehouse, without times of thinking; %v a round.", tpccModule,
			tpccTime),
		synced}}
	kinds := table{heads: []string{"side", "clients", "transaction", "failed", "median of rounds of the average, ms"}}
	for _, threads := range tpccThreads {
		counts := [2]tpccCounts{{}, {}}
		l, err := b.contest(fmt.Sprintf("%d clients", threads), func(side, round int) (turnout, error) {
			text, err := tool.run(ctx, b.sides[side], "run", "-T", strconv.Itoa(threads), "--time", tpccTime.String(),
				"--output", "json", "--silence", "--ignore-error")
			if err != nil {
				return turnout{}, err
			}
			return parseTPCC(text, counts[side], round >= 0)
		})
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, l)
		for i, s := range b.sides {
			counts[i].addTo(&kinds, s.name, threads)
		}
	}
	for _, s := range b.sides {
		found, err := tool.check(ctx, s)
		if err != nil {
			return nil, err
		}
		out.about = append(out.about, s.name+": "+found)
	}
	out.tables = []table{kinds}
	return out, nil
}

// goTPC is the program, and the folder that it was built in.
type goTPC struct{ path string }

// goTPC finds the program, or builds it in a temporary folder, which clean removes.
func (b *bench) goTPC(ctx context.Context) (tool goTPC, clean func(), err error) {
	if b.launch.goTPC != "" {
		return goTPC{b.launch.goTPC}, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "zproxy-bench-")
	if err != nil {
		return goTPC{}, nil, err
	}
	clean = func() { os.RemoveAll(dir) }
	install := exec.CommandContext(ctx, "go", "install", tpccModule)
	install.Env = append(os.Environ(), "GOBIN="+dir)
	if err := runCommand(install); err != nil {
		clean()
		return goTPC{}, nil, err
	}
	return goTPC{filepath.Join(dir, "go-tpc")}, clean, nil
}

func (g goTPC) command(ctx context.Context, s *side, args ...string) (*exec.Cmd, error) {
	c, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return nil, err
	}
	to := []string{"-d", "postgres", "-U", c.User, "-H", c.Host, "-P", strconv.Itoa(int(c.Port)),
		"-D", c.Database, "--conn-params", "sslmode=disable"}
	return exec.CommandContext(ctx, g.path, append(args, to...)...), nil
}

func (g goTPC) run(ctx context.Context, s *side, args ...string) (string, error) {
	cmd, err := g.command(ctx, s, append([]string{"tpcc", "--warehouses", "1"}, args...)...)
	if err != nil {
		return "", err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: go-tpc %s: %w\n%s", s.name, args[0], err, out)
	}
	return string(out), nil
}

// check has the program check its tables, and says how that ended, and how long it took with the start of the program.
// A condition that takes too long is named.
func (g goTPC) check(ctx context.Context, s *side) (string, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return "", err
	}
	defer closeAll([]*pgx.Conn{conn})
	if err := execAll(ctx, conn, "ANALYZE"); err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, tpccCheckTime)
	defer cancel()
	cmd, err := g.command(limited, s, "tpcc", "--warehouses", "1", "check")
	if err != nil {
		return "", err
	}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	late := errors.Is(limited.Err(), context.DeadlineExceeded)
	if strings.Contains(string(out), "failed") { // go-tpc ends without an error
		err = errors.Join(err, errors.New("a condition does not hold"))
	}
	if err != nil && !late {
		return "", fmt.Errorf("%s: the check of consistency: %w\n%s", s.name, err, out)
	}
	return verdict(tpccCondition.FindAllString(string(out), -1), late, took), nil
}

// tpccCondition is how go-tpc names a condition, which it does in another order each time, before it checks it.
var tpccCondition = regexp.MustCompile(`3\.3\.2\.\d+`)

// verdict tells of the conditions that a check began with. If it is late, it did not end the last of them.
func verdict(conditions []string, late bool, took time.Duration) string {
	if !late {
		return fmt.Sprintf("all %d conditions of the check of consistency hold, which took %.1f s.", len(conditions),
			took.Seconds())
	}
	last := len(conditions) - 1
	if last < 0 {
		return fmt.Sprintf("the check of consistency did not begin within %v.", tpccCheckTime)
	}
	return fmt.Sprintf("of the check of consistency, condition %s did not end within %v; before it %s were found to hold.",
		conditions[last], tpccCheckTime, strings.Join(conditions[:last], ", "))
}

// tpccResult is what go-tpc says of a kind of transactions, or of all.
type tpccResult struct {
	Operation, Count, TPMC string
	Average                string `json:"Avg(ms)"`
}

// tpccCounts is what came of each kind of transaction.
type tpccCounts map[string]*tpccCount

type tpccCount struct {
	turnout
	average samples
}

func (c tpccCounts) of(kind string) *tpccCount {
	if c[kind] == nil {
		c[kind] = &tpccCount{}
	}
	return c[kind]
}

// parseTPCC reads the results of a run, and adds them to the counts if it counts.
func parseTPCC(text string, counts tpccCounts, counted bool) (t turnout, err error) {
	for line := range strings.Lines(text) {
		var results []tpccResult
		if !strings.HasPrefix(line, "[{") || json.Unmarshal([]byte(line), &results) != nil {
			continue
		}
		for _, r := range results {
			if r.TPMC != "" {
				t.perSecond, err = strconv.ParseFloat(r.TPMC, 64)
				continue
			}
			n, _ := strconv.Atoi(r.Count) // go-tpc writes nothing else
			kind, refused := strings.CutSuffix(r.Operation, "_ERR")
			if refused {
				t.failed += n
			} else {
				t.committed += n
			}
			if !counted {
				continue
			}
			if refused {
				counts.of(kind).failed += n
				continue
			}
			average, _ := strconv.ParseFloat(r.Average, 64)
			counts.of(kind).committed += n
			counts.of(kind).average = append(counts.of(kind).average, average)
		}
	}
	if t.perSecond == 0 && err == nil {
		err = fmt.Errorf("go-tpc does not tell tpmC:\n%s", text)
	}
	return t, err
}

// addTo adds a row for each kind.
func (c tpccCounts) addTo(t *table, side string, threads int) {
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		n := c[kind]
		t.add(side, strconv.Itoa(threads), strings.ToLower(strings.ReplaceAll(kind, "_", " ")),
			share(n.failed, n.committed+n.failed), digits(median(n.average)))
	}
}
