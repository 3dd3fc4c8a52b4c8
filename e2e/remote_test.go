package e2e

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

var localAll = flag.Bool("local", false,
	"play all scripts on DynamoDB Local, not some, and large ones on the fake, too")

// deviation is what a script is promised to answer otherwise on DynamoDB.
type deviation struct {
	script    string // its path under testdata
	statement string // how the command begins
	rest      bool   // what follows in the script rests on it, and is not played
	on        string // the only kind of store for which it is promised; empty: it is on all
	reason    string
}

// of says whether a deviation is one of a script on a kind of store.
func (v deviation) of(script string, k kind) bool {
	return v.script == script && (v.on == "" || v.on == k.name)
}

// onLocal are the scripts that are played on DynamoDB Local each time: some of what a store has to do with.
var onLocal = []string{
	"postgres/writes", "postgres/savepoints", "postgres/partial_indexes", "zproxy/key_layouts", "zproxy/null_filtered",
	"zproxy/random_shards", "zproxy/writes_of_designed_keys", "zproxy/check_index", "zproxy/documents/z_order",
	"zproxy/documents/lindorm", "zproxy/item_keys",
}

// large are scripts that write or read more rows than are worth the time, when few of them are in one request.
var large = []string{
	"zproxy/documents/big_and_small_keys", "zproxy/index_merge", "zproxy/full_scans", "zproxy/min_max",
	"zproxy/index_builds", "zproxy/zorder_keys", "zproxy/zorder_maps", "zproxy/zorder_urls", "postgres/nested_subqueries",
}

// TestRemoteScripts plays all scripts on DynamoDB's stand-ins, with the answers of the other stores. What
// differs on purpose is in deviations_test.go.
func TestRemoteScripts(t *testing.T) {
	if flag.Lookup("rewrite").Value.String() == "true" || *record {
		t.Skip("what scripts answer is written down on the other stores")
	}
	for _, k := range []kind{onFake, onDynamoDB} {
		t.Run(k.name, func(t *testing.T) {
			for _, folder := range []string{"testdata/postgres", "testdata/zproxy"} {
				datadriven.Walk(t, folder, func(t *testing.T, path string) {
					script, _ := filepath.Rel("testdata", path)
					if !*localAll && (slices.Contains(large, script) || k.name == onDynamoDB.name &&
						!slices.Contains(onLocal, script)) {
						t.Skip("only with -local")
					}
					playRemote(t, path, k)
				})
			}
		})
	}
}

// playRemote is play on a store of which a process is not alone. Plans are made there, but look otherwise; rows
// come in any order where none is asked for.
func playRemote(t *testing.T, path string, k kind) {
	script, _ := filepath.Rel("testdata", path)
	p := newPlayer(t, openDB(t, k).url())
	p.pieces, p.quiet = true, strings.HasPrefix(path, postgresScripts)
	met, ended := map[deviation]bool{}, false
	datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
		only, restricted := d.Arg("only")
		if ended || restricted && !slices.Contains(only.Vals, k.name) {
			return d.Expected
		}
		out, err := p.run(d)
		i := slices.IndexFunc(deviations,
			func(v deviation) bool { return v.of(script, k) && strings.HasPrefix(d.Input, v.statement) })
		switch {
		case out == d.Expected, err == nil && d.Cmd == "explain" && !restricted, sameRows(d, out):
		case i >= 0:
			met[deviations[i]], ended = true, deviations[i].rest
		default:
			t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", d.Pos, d.Input, out, d.Expected)
		}
		return d.Expected
	})
	for _, v := range deviations {
		if v.of(script, k) && !met[v] && !t.Failed() {
			t.Errorf("%q does not deviate: it need not be in deviations_test.go", v.statement)
		}
	}
}

// sameRows says whether an answer has the rows that are wanted in another order, and none is asked for.
func sameRows(d *datadriven.TestData, out string) bool {
	if d.Cmd != "query" || strings.Contains(strings.ToUpper(d.Input), "ORDER BY") {
		return false
	}
	got, want := strings.Split(out, "\n"), strings.Split(d.Expected, "\n")
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}
