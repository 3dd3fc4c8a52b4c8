// Command bench compares zproxy with PostgreSQL: the same rows, the same client, the two servers in turn on one
// machine.
//
// It starts both servers on temporary folders, or takes running ones with -a-dsn and -b-dsn, and writes each
// measurement's table into its own section of RESULTS.md. Run it from the repository's root: go run ./bench; -only
// selects measurements: point, boxes, analysis, clicks, fan-out, lindorm-latency, lindorm-throughput, load,
// lindorm-build, zorder-amplification, zorder-time, zorder-elongated, zorder-rule, moves, timestamps, heat,
// dynamodb-overhead, dynamodb-writes, row-cache, interleaved, tpcb, hot-row, queue, estimates, join-orders, subqueries,
// tpcc, tpch.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// bench is what a measurement needs to know. Side 0 is compared with side 1.
type bench struct {
	sides  [2]*side
	launch launchOptions
	seed   uint64
	rows   int
	rounds int
	cache  string // folder of what was fetched

	zorderSets *zorderData // once they were asked for
}

// sideOf returns the first side that is of the dialect, or -1.
func (b *bench) sideOf(dialect string) int {
	return slices.IndexFunc(b.sides[:], func(s *side) bool { return s.dialect == dialect })
}

// errNoZproxy is why a measurement of zproxy alone cannot run.
var errNoZproxy = errors.New("no side is zproxy")

// measurement compares the sides in one respect.
type measurement struct {
	name string
	run  func(context.Context, *bench) (*section, error)
}

// measurements are in the order in which they run.
var measurements = []measurement{
	{"point", measurePoint},
	{"boxes", measureBoxes},
	{"analysis", measureAnalysis},
	{"clicks", measureClicks},
	{"fan-out", measureFanOut},
	{"lindorm-latency", measureLindormLatency},
	{"lindorm-throughput", measureLindormThroughput},
	{"load", measureLoad},
	{"lindorm-build", measureLindormBuild},
	{"zorder-amplification", measureAmplification},
	{"zorder-time", measureZorderTime},
	{"zorder-elongated", measureElongated},
	{"zorder-rule", measureRule},
	{"moves", measureMoves},
	{"timestamps", measureTimestamps},
	{"heat", measureHeat},
	{"dynamodb-overhead", measureOverDynamo},
	{"dynamodb-writes", measureDynamoWrites},
	{"row-cache", measureRowCache},
	{"interleaved", measureInterleaved},
	{"tpcb", measureTPCB},
	{"hot-row", measureHotRow},
	{"queue", measureQueue},
	{"estimates", measureEstimates},
	{"join-orders", measureJoinOrders},
	{"subqueries", measureSubqueries},
	{"tpcc", measureTPCC}, // the last ones, as they may have to fetch their program
	{"tpch", measureTPCH},
}

// options are the command line.
type options struct {
	bench
	only string
	out  string
}

func main() {
	var o options
	a, b := &side{}, &side{}
	o.sides = [2]*side{a, b}
	flag.StringVar(&a.dialect, "a", zproxy, "what side A is: zproxy or postgres")
	flag.StringVar(&b.dialect, "b", postgres, "what side B is: zproxy or postgres")
	flag.StringVar(&a.dsn, "a-dsn", "",
		"use this running server as side A; its tables named like the bench's are dropped")
	flag.StringVar(&b.dsn, "b-dsn", "",
		"use this running server as side B; its tables named like the bench's are dropped")
	flag.StringVar(&o.launch.zproxyPath, "zproxy", "", "zproxy binary; built from ./cmd/zproxy if empty")
	flag.StringVar(&o.launch.postgresBin, "pg-bin", "/usr/lib/postgresql/15/bin", "folder of PostgreSQL's binaries")
	flag.StringVar(&o.launch.goTPC, "go-tpc", "", "go-tpc binary; built from its module if empty")
	flag.StringVar(&o.only, "only", "", "run the measurements whose name matches this regular expression")
	flag.StringVar(&o.out, "out", "bench/RESULTS.md", "file whose sections are replaced; none if empty")
	flag.StringVar(&o.cache, "cache", "", "folder that keeps what npm fetched; one in the user's cache if empty")
	flag.IntVar(&o.rows, "rows", 0, "load at most so many rows")
	flag.IntVar(&o.rounds, "rounds", 7, "how often to measure each side")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of rows and queries")
	fake := flag.Bool("fake", false, "only be a stand-in for DynamoDB, until the standard input ends")
	flag.Parse()
	if *fake {
		if err := serveFake(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, &o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) (err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds is %d", o.rounds)
	}
	for _, s := range o.sides {
		if err := s.start(ctx, o.launch); err != nil {
			return err
		}
		defer s.stop()
	}
	nameSides(o.sides)
	for _, m := range measurements {
		if !only.MatchString(m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: seed %d\n", m.name, o.seed)
		s, err := m.run(ctx, &o.bench)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if err := publish(o, m.name, s); err != nil {
			return err
		}
	}
	return nil
}

// publish prints the section and puts it into the results file.
func publish(o *options, name string, s *section) error {
	command := strings.Join(append([]string{"go run ./bench"}, os.Args[1:]...), " ")
	text := s.markdown(&o.bench, name, command)
	fmt.Println(text)
	if o.out == "" {
		return nil
	}
	old, err := os.ReadFile(o.out)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(o.out, []byte(replaceSection(string(old), name, text)), 0o644)
}

// scaled returns how many rows to load where full is the measurement's own number.
func (b *bench) scaled(full int) int {
	if b.rows > 0 {
		return min(b.rows, full)
	}
	return full
}
