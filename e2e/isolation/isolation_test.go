package isolation

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"zproxy/internal/indextest"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

var (
	permutations = flag.Int("permutations", 3, "how many permutations of each spec are played; 0 plays all")
	show         = flag.Bool("show", false, "print both transcripts of what is not the same")
	onDynamoDB   = flag.Bool("dynamodb", false, "play the specs on DynamoDB, too, which takes minutes")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// leftOut are specs that are not played, with the reason.
var leftOut = map[string]string{
	"prepared-transactions":     "PostgreSQL has no prepared transactions as it comes, and its own schedule leaves it out",
	"prepared-transactions-cic": "the same",
}

// TestSpecs plays PostgreSQL's isolation specs here and there. None of the permutations may do worse than in
// testdata/expected.
func TestSpecs(t *testing.T) { playSpecs(t, embedded, "testdata/expected") }

// TestSpecsOnDynamoDB plays them where there are no snapshots, and all that a transaction has read is looked at again.
func TestSpecsOnDynamoDB(t *testing.T) {
	if !*onDynamoDB {
		t.Skip("make isolation-dynamodb plays them")
	}
	playSpecs(t, dynamoDB, "testdata/expected-dynamodb")
}

func playSpecs(t *testing.T, open opener, expected string) {
	files, err := filepath.Glob(filepath.Join(cache(t), "isolation-specs", "*.spec"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("PostgreSQL's isolation specs are missing: .ci/deps gets them")
	}
	files = slices.DeleteFunc(files, func(path string) bool { return leftOut[nameOf(path)] != "" })
	playFiles(t, open, files, expected)
}

// TestOwnSpecs plays specs of our own likewise: for what PostgreSQL's need features that are missing.
func TestOwnSpecs(t *testing.T) {
	files, err := filepath.Glob("testdata/specs/*.spec")
	if err != nil {
		t.Fatal(err)
	}
	playFiles(t, embedded, files, "testdata/expected-own")
}

// nameOf is the name of a spec.
func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".spec") }

// playFiles plays specs, several at a time, and compares what came of them with a list of what is expected.
func playFiles(t *testing.T, open opener, files []string, expectedFile string) {
	list := &list{path: expectedFile, expected: load(t, expectedFile), played: map[string]count{}}
	pg := &postgres{t: t}
	t.Cleanup(func() { list.finish(t) })
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := nameOf(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			orders := chosen(t, s, list.expected[name])
			a := readAnswers(t, name, string(text))
			pg.complete(t, s, orders, a)
			list.add(t, name, verdicts(t, open, s, orders, a))
		})
	}
}

// mostOrders is more than any spec has.
const mostOrders = 10_000

// chosen are the permutations that are played, by their numbers from 1: evenly from all of them. A run of a few leaves
// out what is known to hang.
func chosen(t testing.TB, s *spec, known *outcome) map[int]permutation {
	t.Helper()
	all, more := s.orders(mostOrders)
	if more {
		t.Fatalf("there are more than %d permutations", mostOrders)
	}
	numbers := make([]int, 0, len(all))
	for i := range all {
		if *permutations == 0 || known == nil || known.verdicts[i+1].reason != hangs {
			numbers = append(numbers, i+1)
		}
	}
	n := len(numbers)
	if *permutations > 0 {
		n = min(n, *permutations)
	}
	out := map[int]permutation{}
	for i := range n {
		number := numbers[i*len(numbers)/n]
		out[number] = all[number-1]
	}
	return out
}

// verdicts plays permutations on zproxy. After one that is not the same a new server is started, so that what it left
// does not make the others different.
func verdicts(t *testing.T, open opener, s *spec, orders map[int]permutation, a *answers) map[int]verdict {
	out := map[int]verdict{}
	for len(out) < len(orders) {
		t.Run("server", func(t *testing.T) {
			w := start(t, open)
			for i := range sortedKeys(orders) {
				if _, ok := out[i]; ok {
					continue
				}
				w.connect(t, s)
				want := a.transcripts[i]
				got, err := w.play(t.Context(), s, orders[i], limitBeyond+want.Took)
				if err != nil {
					t.Fatalf("permutation %d, %s: %v", i, orders[i], err)
				}
				out[i] = judge(s, want, got)
				if out[i].class == same {
					continue
				}
				if *show {
					t.Logf("permutation %d: %s\n%s: %s\nPostgreSQL:\n%s\nzproxy:\n%s",
						i, orders[i], out[i].class, out[i].reason, want, got)
				}
				return
			}
		})
		if t.Failed() {
			return out
		}
	}
	return out
}

// limitBeyond is for how long a step may run beyond the time that PostgreSQL takes for the whole permutation.
const limitBeyond = 10 * time.Second

// opener opens an empty store.
type opener func(*testing.T) (store.Store, error)

func embedded(*testing.T) (store.Store, error) {
	return pebblestore.Open("db", pebblestore.Options{FS: vfs.NewMem(), CacheBytes: 8 << 20})
}

func dynamoDB(t *testing.T) (store.Store, error) {
	return dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: "http://127.0.0.1:1",
		HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")})
}

// start starts a zproxy on an empty store.
func start(t *testing.T, open opener) *world {
	t.Helper()
	st, err := open(t)
	if err != nil {
		t.Fatal(err)
	}
	indextest.AtEnd(t, st)
	s := testserver.Start(t, st, session.Options{
		Settings: map[string]string{"zproxy.full_scan": "allow", "zproxy.consistent_statements": "on"}}, wire.Options{})
	return &world{url: postgresURL(s.Address, database), blocked: `
		SELECT pg_blocking_pids($1::int) && $2::int[] OR EXISTS (
			SELECT FROM pg_stat_activity WHERE pid = $1::int AND (wait_event_type = 'Lock' OR wait_event = 'SafeSnapshot'))`}
}

// list gathers what came of the specs.
type list struct {
	path string
	expected
	mu     sync.Mutex
	played map[string]count // by spec
}

func (l *list) add(t testing.TB, name string, got map[int]verdict) {
	t.Helper()
	n := (&outcome{verdicts: got}).count()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.played[name] = n
	if l.expected[name] == nil {
		l.expected[name] = &outcome{verdicts: map[int]verdict{}}
	}
	if rewriting() {
		maps.Copy(l.expected[name].verdicts, got)
		return
	}
	worse, better := l.expected[name].against(got)
	for _, line := range worse {
		t.Errorf("%s (-show prints it)", line)
	}
	for _, line := range better {
		t.Logf("%s: -rewrite notes it", line)
	}
}

// finish prints what came of the specs, and writes the list anew if it was asked for.
func (l *list) finish(t testing.TB) {
	t.Helper()
	var total count
	for name := range sortedKeys(l.played) {
		n := l.played[name]
		t.Logf("%-32s %s", name, n)
		for c := range total {
			total[c] += n[c]
		}
	}
	t.Log(total)
	if !rewriting() || t.Failed() {
		return
	}
	if err := os.WriteFile(l.path, []byte(l.expected.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rewriting says whether -rewrite is given, which the package datadriven declares.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	ok, err := strconv.ParseBool(f.Value.String())
	return ok && err == nil
}
