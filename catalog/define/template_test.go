package define_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/internal/plantest"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestTemplatesAreUnambiguous makes random templates. Under one that DDL takes no two rows
// that the codec takes may have one key.
func TestTemplatesAreUnambiguous(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	taken, rows, distinct := 0, 0, 0
	for range 1000 {
		table := randomTemplate(r)
		if table == nil {
			continue
		}
		taken++
		codec, err := keys.NewCodec(table, &table.Primary)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]types.Row{}
		for range 300 {
			row := randomRow(r, table)
			if codec.CheckValues(row, "t") != nil {
				continue
			}
			rows++
			key := codec.Key(row)
			bytes := string(key.Partition) + "|" + string(key.Sort)
			if other, there := seen[bytes]; !there {
				distinct++
			} else if slices.ContainsFunc(table.KeyOrdinals(),
				func(i int) bool { return types.Compare(row[i], other[i]) != 0 }) {
				t.Fatalf("%s: %v and %v have one key", table.Describe(&table.Primary), other, row)
			}
			seen[bytes] = row
		}
	}
	if taken < 100 || rows < 10000 || distinct < 3000 {
		t.Errorf("%d templates and %d rows with %d keys are few", taken, rows, distinct)
	}
}

// randomTemplate is a table with a random template, nil when DDL does not take it.
func randomTemplate(r *rand.Rand) *catalog.Table {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var text strings.Builder
	for range 1 + r.IntN(5) {
		text.WriteString(pick("{s}", "{u}", "{n}", "{m}", "{d}", "{b}", "{n:03}", "{d:DDMONYYYY}", "{d:MM}",
			"{md5(s):2}", "{shard}", "{shard:02}"))
		text.WriteString(pick("", "-", "-", "1", "a", "-1", "1-", " BC", "a-", "--"))
	}
	shards := ""
	if strings.Contains(text.String(), "{shard") {
		shards = pick(", shards = 12", ", shards = 3")
	}
	var key []string
	for _, c := range []string{"s", "u", "n", "m", "d", "b"} {
		if strings.Contains(text.String(), "{"+c) || strings.Contains(text.String(), "("+c) {
			key = append(key, c)
		}
	}
	var s plantest.Schema
	sql := "CREATE TABLE t (s text, u varchar, n int, m int, d date, b bool, PRIMARY KEY (%s)) " +
		"WITH (partition_key = '%s'%s)"
	if s.Define(fmt.Sprintf(sql, strings.Join(key, ", "), text.String(), shards)) != nil {
		return nil
	}
	return s.Catalog.Table("public", "t")
}

// randomRow is a row of values that are easily taken for each other.
func randomRow(r *rand.Rand, t *catalog.Table) types.Row {
	texts := []string{"", "a", "-", "1", "a-", "-1", "a1", "1a", "a-1", "--", "11", " BC", "-a", "1-1"}
	numbers := []int64{0, 1, 11, 111, 5, 15, -1, -11, 1000}
	day := func(year int) types.Value {
		return types.NewDate(int32(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86400 - 10957))
	}
	days := []types.Value{day(2024), day(1202), day(12024), day(-43), types.NewDate(math.MaxInt32),
		types.NewDate(math.MinInt32)}
	row := make(types.Row, len(t.Columns))
	for i, c := range t.Columns {
		switch c.Type.Kind() {
		case types.KindText:
			row[i] = types.NewText(texts[r.IntN(len(texts))])
		case types.KindInt:
			row[i] = types.NewInt(numbers[r.IntN(len(numbers))])
		case types.KindDate:
			row[i] = days[r.IntN(len(days))]
		default:
			row[i] = types.NewBool(r.IntN(2) == 0)
		}
	}
	return row
}

// TestTemplatesReadBack makes random texts of what templates are made of. Whatever is taken
// is written so that it is read as the same.
func TestTemplatesReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	words := []string{"{", "}", "{{", "}}", "s", "n", "d", "shard", "md5(", ")", ":", "03", "4", "YYYY", "MM", "-",
		"||", "'", "E'", `"`, `\`, `\n`, " ", "S", "é", "{s}", "{n}"}
	taken := 0
	for range 6000 {
		var text strings.Builder
		for range 1 + r.IntN(8) {
			text.WriteString(words[r.IntN(len(words))])
		}
		option := strings.ReplaceAll(text.String(), "'", "''")
		var s plantest.Schema
		create := "CREATE TABLE t (s text, n int, d date, PRIMARY KEY (s, n, d)) WITH (partition_key = '" + option +
			"')"
		if s.Define(create) == nil {
			taken++
			table := s.Catalog.Table("public", "t")
			readsBack(t, table, &table.Primary, table.Options)
		}
	}
	if taken < 100 {
		t.Errorf("%d templates are few", taken)
	}
}
