package parser

import (
	"strings"
	"testing"
)

// TestShape reads shapes of statements; the letters behind a bar are the kinds of what was lifted.
func TestShape(t *testing.T) {
	for sent, want := range map[string]string{
		"SELECT a FROM t WHERE id = 5":                         "SELECT a FROM t WHERE id = $1 | i",
		" SELECT a\n FROM t WHERE id=5 ; ":                     "SELECT a FROM t WHERE id=$1 | i",
		"SELECT a FROM t WHERE id = 2147483648":                "SELECT a FROM t WHERE id = $1 | l",
		"SELECT a FROM t WHERE id = -2147483648":               "SELECT a FROM t WHERE id = $1 | i",
		"SELECT a FROM t WHERE id > 9223372036854775808":       "SELECT a FROM t WHERE id > $1 | n",
		"SELECT a FROM t WHERE id >= .5 AND b = 'it''s'":       "SELECT a FROM t WHERE id >= $1 AND b = $2 | ns",
		"SELECT a FROM t WHERE b BETWEEN 1 AND 'x'":            "SELECT a FROM t WHERE b BETWEEN $1 AND $2 | is",
		"SELECT a FROM t WHERE \"b\" = 1 OR f(x) <> 2":         "SELECT a FROM t WHERE \"b\" = $1 OR f(x) <> $2 | ii",
		"UPDATE t SET a = a + -5, b = b - 5 WHERE id = 7":      "UPDATE t SET a = a + $1, b = b - $2 WHERE id = $3 | iii",
		"UPDATE t SET a = 'now' WHERE id = 7 RETURNING a":      "UPDATE t SET a = $1 WHERE id = $2 RETURNING a | si",
		"DELETE FROM t WHERE id = 1 RETURNING 5":               "DELETE FROM t WHERE id = $1 RETURNING 5 | i",
		"INSERT INTO t VALUES (1, 'a', -2.5), (DEFAULT, f(1))": "INSERT INTO t VALUES ($1, $2, $3), (DEFAULT, f(1)) | isn",
		"INSERT INTO t (a) VALUES (1 + 2, b = 3) ON CONFLICT (a) DO UPDATE SET a = 4": "INSERT INTO t (a) VALUES " +
			"(1 + 2, b = $1) ON CONFLICT (a) DO UPDATE SET a = $2 | ii",
		"BEGIN": "BEGIN | ",

		// What more depends on stays.
		"SELECT 5, 'x', -3":                           "SELECT 5, 'x', -3 | ",
		"SELECT a FROM t WHERE 5 = a":                 "SELECT a FROM t WHERE 5 = a | ",
		"SELECT a FROM t WHERE a = 5 + 3":             "SELECT a FROM t WHERE a = 5 + 3 | ",
		"SELECT a FROM t WHERE a = 5::int8":           "SELECT a FROM t WHERE a = 5::int8 | ",
		"SELECT a FROM t WHERE a = 'x' COLLATE \"C\"": "SELECT a FROM t WHERE a = 'x' COLLATE \"C\" | ",
		"SELECT a FROM t WHERE 1 = 1":                 "SELECT a FROM t WHERE 1 = 1 | ",
		"SELECT a FROM t WHERE a = 1 / 0":             "SELECT a FROM t WHERE a = 1 / 0 | ",
		"SELECT a FROM t WHERE a = NULL + 2":          "SELECT a FROM t WHERE a = NULL + 2 | ",
		"SELECT a FROM t WHERE b LIKE 'x%'":           "SELECT a FROM t WHERE b LIKE 'x%' | ",
		"SELECT a FROM t WHERE b @> '{1}'":            "SELECT a FROM t WHERE b @> '{1}' | ",
		"SELECT a FROM t WHERE b =- 5":                "SELECT a FROM t WHERE b =- 5 | ",
		"SELECT a FROM t WHERE b -> 'x' = '5'":        "SELECT a FROM t WHERE b -> 'x' = '5' | ",
		"SELECT a FROM t WHERE d = date '2020-01-01'": "SELECT a FROM t WHERE d = date '2020-01-01' | ",
		"SELECT a FROM t WHERE b = E'x'":              "SELECT a FROM t WHERE b = E'x' | ",
		"SELECT a FROM t WHERE b = 'x\\'":             "SELECT a FROM t WHERE b = 'x\\' | ",
		"SELECT a FROM t WHERE b = 1e3":               "SELECT a FROM t WHERE b = 1e3 | ",
		"SELECT a FROM t WHERE b = 0x1F":              "SELECT a FROM t WHERE b = 0x1F | ",
		"SELECT a FROM t WHERE b = 1_000":             "SELECT a FROM t WHERE b = 1_000 | ",
		"SELECT a FROM t ORDER BY 1 LIMIT 5 OFFSET 2": "SELECT a FROM t ORDER BY 1 LIMIT 5 OFFSET 2 | ",
		"SELECT f(a => 5, b := 6)":                    "SELECT f(a => 5, b := 6) | ",
		"SELECT a FROM t WHERE (a, b) = (1, 2)":       "SELECT a FROM t WHERE (a, b) = (1, 2) | ",

		// These have no shape.
		"":                                     "",
		";":                                    "",
		"SELECT a FROM t WHERE id = $1":        "",
		"SELECT 1; SELECT 2":                   "",
		"SELECT a /*+ hint */ FROM t":          "",
		"SELECT a FROM t WHERE id = 5 -- last": "",
		"SELECT a -- first\nFROM t":            "",
	} {
		var s Shape
		got := ""
		if s.Read(sent) {
			got = s.Text() + " | "
			for _, l := range s.Literals {
				got += string(l.Kind)
			}
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", sent, got, want)
		}
	}
}

// FuzzShape puts the literals back into shapes that the grammar reads as the statement with other literals.
func FuzzShape(f *testing.F) {
	for _, sql := range []string{
		"SELECT a FROM t WHERE id = 5 AND b <> 'it''s' OR c BETWEEN -1 AND .5", "UPDATE t SET a = a + -5 WHERE b(1) = 2",
		"INSERT INTO t VALUES (1, -2, 'x', f(3), 4 + 5)", "SELECT -5 - 3 = 2", "SELECT a = - 5 FROM t",
		"SELECT x - 5 * 2 FROM t GROUP BY x - 5",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		var s Shape
		if !s.Read(sql) || strings.ContainsRune(sql, 0) {
			return
		}
		sent, err := Parse(sql)
		if err != nil || len(sent) != 1 {
			return
		}
		shape, err := Parse(s.Text())
		if err != nil || !s.Fits(sent[0].Statement, shape[0].Statement) {
			t.Skip() // it is planned as it was sent
		}
		if want := len(s.Literals); shape[0].Params != want {
			t.Errorf("%q: %d parameters, want %d", sql, shape[0].Params, want)
		}
		back := s.Text()
		for i := len(s.Literals); i > 0; i-- {
			l := s.Literals[i-1]
			text := l.Text
			if l.Kind == LiftedString {
				text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
			}
			at := strings.LastIndex(back, "$"+string('0'+rune(i)))
			if i > 9 || at < 0 {
				return
			}
			back = back[:at] + text + back[at+2:]
		}
		again, err := Parse(back)
		if err != nil || !(&Shape{}).Fits(sent[0].Statement, again[0].Statement) {
			t.Errorf("%q: %s: %v", sql, back, err)
		}
	})
}
