// Package testcharge has statements of all kinds whose price tests compare with what a store charges: reads by keys, of
// ranges and boxes, with lookups and joins, and writes of one and of several rows. Every test that asks for prices asks
// the same. What is compared with what is the tests' matter.
package testcharge

import "fmt"

// Classes is how many kinds of statements there are.
func Classes() int { return len(classes) }

// Statement is one of a kind, the first one after the last, with random numbers.
func Statement(kind int, random func(n int) int) string { return classes[kind%len(classes)](random) }

// Tables makes and fills the tables that are asked: rows of several widths, keys of one and of two columns, and indexes
// of all kinds.
var Tables = []string{
	"CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int, note text)",
	"CREATE INDEX t_a ON t (a)", "CREATE INDEX t_b ON t (b) INCLUDE (c) WITH (shards = 4)",
	"CREATE TABLE d (cust int, at int, kind int, body text, PRIMARY KEY (cust, at))",
	"CREATE TABLE w (id int PRIMARY KEY, k int, body text)",
	"CREATE TABLE z (x int, y int, id int PRIMARY KEY)", "CREATE INDEX z_xy ON z USING zorder (x, y)",
	"INSERT INTO t SELECT i, i % 100, i % 50, i % 7, repeat('x', 150 + i % 100) FROM generate_series(1, 3000) i",
	"INSERT INTO d SELECT i / 50, i % 50, i % 5, repeat('y', 600) FROM generate_series(0, 2999) i",
	"INSERT INTO w SELECT i, i % 4, repeat('z', 20000) FROM generate_series(1, 80) i",
	"INSERT INTO z SELECT (i * 37) % 100, i / 30, i FROM generate_series(1, 3000) i",
}

// classes make statements, each with numbers of its own; an id that is new is above 100000.
var classes = []func(n func(int) int) string{
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM t WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM w WHERE id = %d", 1+n(80)) },
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT note FROM t WHERE id IN (%d, %d, %d, %d)", 1+n(700), 701+n(700), 1401+n(700), 2200+n(700))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM d WHERE cust = %d", n(60)) },
	func(n func(int) int) string {
		lo := n(40)
		return fmt.Sprintf("SELECT body FROM d WHERE cust = %d AND at >= %d AND at < %d", n(60), lo, lo+1+n(9))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT * FROM d WHERE cust = %d ORDER BY at DESC LIMIT %d", n(60), 1+n(20))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT * FROM t WHERE a = %d", n(100)) },
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT a FROM t WHERE a IN (%d, %d)", n(50), 50+n(50))
	},
	func(n func(int) int) string { return fmt.Sprintf("SELECT count(*), sum(c) FROM t WHERE b = %d", n(50)) },
	func(n func(int) int) string {
		x, y := n(80), n(80)
		return fmt.Sprintf("SELECT count(*) FROM z WHERE x BETWEEN %d AND %d AND y BETWEEN %d AND %d", x, x+2+n(18), y, y+2+n(18))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT d.body, t.note FROM d JOIN t ON t.id = d.at + 1 WHERE d.cust = %d", n(60))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT t.b, d.kind FROM t JOIN d ON d.cust = t.a AND d.at = t.c WHERE t.id IN (%d, %d)", 1+n(1000), 1001+n(1000))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT kind, count(*) FROM d WHERE cust < %d GROUP BY kind", 5+n(50))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("SELECT k, max(length(body)) FROM w WHERE k <> %d GROUP BY k", n(4))
	},
	func(n func(int) int) string {
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, 1, repeat('x', %d))", 100000+n(1<<30), n(100), n(50), 100+n(200))
	},
	func(n func(int) int) string {
		id := 100000 + n(1<<30)
		return fmt.Sprintf("INSERT INTO d SELECT %d, g, 1, repeat('y', 600) FROM generate_series(1, %d) g", id, 2+n(10))
	},
	func(n func(int) int) string { return fmt.Sprintf("UPDATE t SET c = c + 1 WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string {
		return fmt.Sprintf("UPDATE d SET kind = 9 WHERE cust = %d AND at < %d", n(60), 2+n(20))
	},
	func(n func(int) int) string { return fmt.Sprintf("DELETE FROM t WHERE id = %d", 1+n(3000)) },
	func(n func(int) int) string {
		return fmt.Sprintf("INSERT INTO d VALUES (%d, %d, 3, repeat('y', 600)) ON CONFLICT (cust, at) DO UPDATE SET kind = 3", n(60), n(100))
	},
}
