package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestHashTable finds the rows of keys in the order in which they came, in tables of one part and of many: whole
// numbers, texts, and pairs with NULLs that are equal.
func TestHashTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	number, text := column(0), expr.Column{Index: 1, Name: "t", T: types.Text}
	for _, c := range []struct {
		keys  []expr.Expr
		nulls []bool
	}{{[]expr.Expr{number}, []bool{false}}, {[]expr.Expr{text}, []bool{false}},
		{[]expr.Expr{number, text}, []bool{true, false}}} {
		for _, rows := range []int{0, 1, 9, 700, mostWhole, mostWhole + 1, 5 * mostWhole} {
			for _, different := range []int{3, rows/4 + 1, 100 * (rows + 1)} {
				w := newWorld(t, tableOf("id int4", 1))
				f := frame{ctx: t.Context(), env: w.env}
				table := newHashTable(f, 2, c.keys, c.nulls)
				want := fillTable(w, &table, rows, different, rng)
				w.check(table.link(t.Context(), 1+rng.IntN(4)))
				checkTable(w, &table, want)
			}
		}
	}
}

// fillTable adds rows, some in batches, and says which of them has which keys.
func fillTable(w *world, table *hashTable, rows, different int, rng *rand.Rand) map[string][]int32 {
	want := map[string][]int32{}
	batch := types.NewBatch(2)
	for at := 0; at < rows; {
		batch.Reset(2)
		for range min(rows-at, 1+rng.IntN(types.BatchRows)) {
			of := types.Row{types.NewInt(int64(rng.IntN(different)) * 7919), types.NewText(words(rng.IntN(different)))}
			if null := rng.IntN(20); null < len(of) {
				of[null] = types.Null
			}
			key, equals := []byte(nil), true
			for i, k := range table.keys {
				v, err := k.Eval(w.env.Expr, of)
				w.check(err)
				equals = equals && (!v.IsNull() || table.nulls[i])
				key = types.AppendKey(key, v)
			}
			batch.Append(of)
			if at++; equals {
				want[string(key)] = append(want[string(key)], int32(at))
			}
		}
		if batch.Len() > 1 {
			w.check(table.addAll(batch))
		} else {
			w.check(table.add(batch.Row(0)))
		}
	}
	return want
}

// checkTable asks for every row that has keys, by row and by batch, and for some that nothing has.
func checkTable(w *world, table *hashTable, want map[string][]int32) {
	if table.different() != len(want) {
		w.t.Errorf("%d different keys, want %d", table.different(), len(want))
	}
	asks := keyColumns{keys: table.keys, by: w.env.Expr}
	batch, row := types.NewBatch(2), make(types.Row, 2)
	for _, rows := range want {
		batch.Reset(2)
		batch.Append(table.rows.row(row, int(rows[0]-1)))
		batch.Append(types.Row{types.NewInt(-5), types.NewText("none")})
		batch.Append(types.Row{types.Null, types.Null})
		first, err := table.find(table.keys, batch.Row(0))
		w.check(err)
		firsts, err := table.findAll(&asks, batch, nil)
		w.check(err)
		if !slices.Equal(firsts, []int32{first, 0, 0}) {
			w.t.Fatalf("by batch %d, by row %d", firsts, first)
		}
		var chain []int32
		for at := first; at != 0; at = table.next[at-1] {
			chain = append(chain, at)
		}
		if !slices.Equal(chain, rows) {
			w.t.Fatalf("rows %d have a key, want %d", chain, rows)
		}
	}
}
