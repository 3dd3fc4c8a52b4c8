package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
)

// drawing draws values, of which few are far more common than others.
type drawing struct{ *rand.Rand }

// skewed is a number below n. Half of them are below n to the power of 1/2.
func (d drawing) skewed(n int) int { return int(math.Pow(float64(n), d.Float64())) - 1 }

func (d drawing) list(most int, item func() string) []string {
	out := make([]string, d.IntN(most+1))
	for i := range out {
		out[i] = item()
	}
	return out
}

func (d drawing) tag() string  { return fmt.Sprintf("t%d", d.skewed(400)) }
func (d drawing) key() string  { return fmt.Sprintf("k%d", d.skewed(60)) }
func (d drawing) kind() string { return fmt.Sprintf("kind %d", d.skewed(30)) }
func (d drawing) city() string { return fmt.Sprintf("city %d", d.skewed(200)) }

// document has keys that all have, some that few have, one with a value of its own in each, and nested ones.
func (d drawing) document(id int) map[string]any {
	out := map[string]any{"kind": d.kind(), "id": id, "price": d.skewed(5000), "tags": d.list(4, d.tag),
		"address": map[string]any{"city": d.city(), "zip": d.IntN(3000)}}
	for range d.IntN(4) {
		out[d.key()] = d.skewed(20)
	}
	if d.IntN(5) == 0 {
		out["note"] = nil
	} else if d.IntN(2) == 0 {
		out["note"] = strings.Repeat("x", d.IntN(3)*900)
	}
	return out
}

func (d drawing) nullable(text string) string {
	if d.IntN(20) == 0 {
		return "NULL"
	}
	return text
}

func arrayText(list []string) string { return "'{" + strings.Join(list, ",") + "}'" }

// fill makes a table of so many rows.
func (d drawing) fill(t *testing.T, rows int, on ...*pgconn.PgConn) {
	t.Helper()
	statements := []string{"CREATE TABLE a (id int PRIMARY KEY, tags text[], numbers int[], doc jsonb)"}
	var values []string
	for id := range rows {
		doc, err := json.Marshal(d.document(id))
		if err != nil {
			t.Fatal(err)
		}
		numbers := d.list(8, func() string { return d.nullable(fmt.Sprint(d.skewed(3000))) })
		values = append(values, fmt.Sprintf("(%d, %s, %s, %s)", id, d.nullable(arrayText(d.list(6, d.tag))),
			d.nullable(arrayText(numbers)), d.nullable("'"+string(doc)+"'")))
		if len(values) == 500 || id == rows-1 {
			statements = append(statements, "INSERT INTO a VALUES "+strings.Join(values, ", "))
			values = nil
		}
	}
	for _, text := range append(statements, "ANALYZE a") {
		for _, c := range on {
			if _, err := c.Exec(t.Context(), text).ReadAll(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ofArrays is a condition on the elements of an array.
func (d drawing) ofArrays() (kind, cond string) {
	column, item := "tags", d.tag
	if d.IntN(2) == 0 {
		column, item = "numbers", func() string { return fmt.Sprint(d.skewed(3000)) }
	}
	few := arrayText(append(d.list(1, item), item()))
	switch d.IntN(6) {
	case 0:
		return "contains", fmt.Sprintf("%s @> %s", column, few)
	case 1:
		return "overlaps", fmt.Sprintf("%s && %s", column, arrayText(append(d.list(4, item), item())))
	case 2:
		return "contained", fmt.Sprintf("%s <@ %s", few, column)
	case 3:
		return "any", fmt.Sprintf("'%s' = ANY (%s)", item(), column)
	case 4:
		return "not all", fmt.Sprintf("'%s' <> ALL (%s)", item(), column)
	}
	return "or", fmt.Sprintf("%s @> '{%s}' OR %[1]s @> '{%s}'", column, item(), item())
}

// ofDocuments is a condition on what is in a document.
func (d drawing) ofDocuments() (kind, cond string) {
	switch d.IntN(12) {
	case 0:
		return "jsonb contains", fmt.Sprintf(`doc @> '{"kind": "%s"}'`, d.kind())
	case 1:
		return "jsonb contains", fmt.Sprintf(`doc @> '{"address": {"city": "%s"}}'`, d.city())
	case 2:
		return "jsonb contains", fmt.Sprintf(`doc @> '{"tags": ["%s"], "kind": "%s"}'`, d.tag(), d.kind())
	case 3:
		return "jsonb contains", fmt.Sprintf(`'{"%s": %d}' <@ doc`, d.key(), d.skewed(20))
	case 4:
		return "jsonb contains", fmt.Sprintf(`doc @> '{"id": %d}'`, d.IntN(20000))
	case 5:
		return "exists", fmt.Sprintf("doc ? '%s'", d.key())
	case 6:
		return "exists any", fmt.Sprintf("doc ?| %s", arrayText([]string{d.key(), d.key(), d.key()}))
	case 7:
		return "exists all", fmt.Sprintf("doc ?& %s", arrayText([]string{d.key(), d.key()}))
	case 8:
		key := []string{"note", d.key(), "kind", "address"}[d.IntN(4)]
		return "member null", fmt.Sprintf("doc ->> '%s' IS %sNULL", key, []string{"", "NOT "}[d.IntN(2)])
	case 9:
		return "member", fmt.Sprintf("doc ->> 'kind' = '%s'", d.kind())
	case 10:
		return "member", fmt.Sprintf("doc -> 'address' ->> 'city' IN ('%s', '%s')", d.city(), d.city())
	}
	return "member", fmt.Sprintf("(doc ->> 'price')::int < %d", d.skewed(5000))
}

// TestElementEstimates compares how many rows conditions on elements of arrays and documents are thought to keep with
// how many they do. Of arrays PostgreSQL does the same.
func TestElementEstimates(t *testing.T) {
	d := drawing{rand.New(rand.NewPCG(testseed.Of(t), 61))}
	here, err := pgconn.Connect(t.Context(), openDB(t, inMemory).url())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close(t.Context())
	there := connectPostgres(t)
	d.fill(t, 20_000, here, there)
	ours, theirs := map[string][]float64{}, map[string][]float64{}
	for i := range 600 {
		kind, cond := d.ofDocuments()
		if i%2 == 0 {
			kind, cond = d.ofArrays()
		}
		query := "SELECT id FROM a WHERE " + cond
		got := slices.Max(errorsOf(t, here, query))
		ours[kind] = append(ours[kind], got)
		theirs[kind] = append(theirs[kind], slices.Max(errorsOf(t, there, query)))
		if got > 5 {
			t.Logf("%6.1f  %s", got, cond)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(ours)) {
		a, b := ours[kind], theirs[kind]
		slices.Sort(a)
		slices.Sort(b)
		t.Logf("%-15s median %5.2f, PostgreSQL %5.2f; 95th percentile %6.2f, PostgreSQL %6.2f; most %6.2f, %6.2f", kind,
			quantile(a, 0.5), quantile(b, 0.5), quantile(a, 0.95), quantile(b, 0.95), quantile(a, 1), quantile(b, 1))
		if quantile(a, 0.5) > 1.25 || quantile(a, 0.95) > 4 {
			t.Errorf("%s: the estimates are worse than they should be", kind)
		}
	}
}
