package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// spellings draws texts that Unicode writes in several ways, and conditions on their normal forms.
type spellings struct{ *rand.Rand }

var (
	spelled = []string{"e", "\u00e9", "e\u0301", "\u0301", "\u0323", "\ufb01", "fi", "\u00c5", "\u212b",
		"A\u030a", "z"}
	normalForms = []string{"NFC", "NFD", "NFKC", "NFKD"}
)

func (s spellings) text() string {
	var b strings.Builder
	for range s.IntN(3) {
		b.WriteString(spelled[s.IntN(len(spelled))])
	}
	return b.String()
}

// value is a text, often in a form.
func (s spellings) value(form string) string {
	if s.IntN(4) == 0 {
		return "'" + s.text() + "'"
	}
	return fmt.Sprintf("normalize('%s', %s)", s.text(), form)
}

func (s spellings) condition() string {
	form := normalForms[s.IntN(len(normalForms))]
	of := "normalize(c, " + form + ")"
	if s.IntN(6) == 0 {
		of = fmt.Sprintf("normalize(%s, %s)", of, normalForms[s.IntN(len(normalForms))])
	}
	switch s.IntN(7) {
	case 0:
		return fmt.Sprintf("%s IN (%s, %s)", of, s.value(form), s.value(form))
	case 1:
		return fmt.Sprintf("%s = ANY (ARRAY[%s, %s, NULL])", of, s.value(form), s.value(form))
	case 2:
		return fmt.Sprintf("%s = %s AND c = '%s'", of, s.value(form), s.text())
	case 3:
		return fmt.Sprintf("%s = %s AND normalize(c, NFD) = %s", of, s.value(form), s.value("NFD"))
	case 4:
		return fmt.Sprintf("%s %s %s", of, []string{"<", ">=", "<>"}[s.IntN(3)], s.value(form))
	}
	return fmt.Sprintf("%s = %s", s.value(form), of)
}

func (s spellings) where() string {
	switch s.IntN(4) {
	case 0:
		return s.condition() + fmt.Sprintf(" AND n < %d", s.IntN(12))
	case 1:
		return fmt.Sprintf("%s AND n = %d OR %s", s.condition(), s.IntN(10), s.condition())
	}
	return s.condition()
}

// TestNormalFormsByZOrder asks a table with Z-order indexes that have the codes of normal forms, and one without, for
// texts by their normal forms, and wants the same rows.
func TestNormalFormsByZOrder(t *testing.T) {
	for _, k := range append(slices.Clone(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			s := spellings{rand.New(rand.NewPCG(testseed.Of(t), 1))}
			conn := openDB(t, k).connect(t)
			for _, table := range []string{"indexed", "plain"} {
				must(t, conn, fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, c text, n int)", table))
			}
			for id := range 300 {
				value := "'" + s.text() + "'"
				if s.IntN(20) == 0 {
					value = "NULL"
				}
				for _, table := range []string{"indexed", "plain"} {
					must(t, conn, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s, %d)", table, id, value, id%10))
				}
			}
			must(t, conn, "CREATE INDEX a ON indexed USING zorder (c zorder_ops (form = 'NFC'), n)",
				"CREATE INDEX b ON indexed USING zorder (n, c zorder_ops (form = 'NFKD', map = 'raw', bytes = 2))",
				"CREATE INDEX d ON indexed USING zorder (c zorder_ops (form = 'NFD'))", "ANALYZE")
			boxes, found := 0, 0
			for range 150 {
				where := s.where()
				ask := func(table, hint string) string {
					query := fmt.Sprintf("%sSELECT id::text FROM %s WHERE %s ORDER BY id", hint, table, where)
					return strings.Join(texts(t, conn, query), " ")
				}
				hint := fmt.Sprintf("/*+ USE_INDEX(indexed %c) */ ", "abd"[s.IntN(3)])
				got, want := ask("indexed", hint), ask("plain", "")
				if got != want {
					t.Fatalf("%s %s\n has %s\nwant %s", hint, where, got, want)
				}
				if want != "" {
					found++
				}
				for _, line := range texts(t, conn, hint+"EXPLAIN SELECT id FROM indexed WHERE "+where) {
					if strings.Contains(line, "Index Cond: ") && strings.Contains(line, "normalize(c") {
						boxes++
					}
				}
			}
			if boxes < 20 || found < 40 {
				t.Errorf("%d queries read boxes of normal forms, and %d found rows", boxes, found)
			}
		})
	}
}
