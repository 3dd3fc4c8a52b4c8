// Package kintest makes tables that refer to each other by foreign keys of every kind, random statements that write
// them, and the queries that find rows which refer to none. Tests that let clients, servers or disks fail use it: each
// has faults of its own, and all want the same to hold. Read Draw first, which says what the tables are.
package kintest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Parents is how many rows of p clients write: those with the ids from 0 on.
const Parents = 8

// Kin are tables: p has parents, c refers to p and to itself, d to a key of p with two columns, and e to c and to
// another key of p, if that can have one.
type Kin struct {
	children    int // the ids of children that clients write, from 0 on
	partitioned map[string]bool
	keys        []key
}

// key is a foreign key.
type key struct {
	child, columns   string
	parent, referred string
	clauses          string
}

// Draw draws tables, of which c, d and e have so many rows at most that Write writes.
func Draw(r *rand.Rand, children int) *Kin {
	k := &Kin{children: children, partitioned: map[string]bool{}}
	for _, table := range []string{"p", "c"} {
		k.partitioned[table] = r.IntN(2) == 0
	}
	k.keys = []key{{"c", "pid", "p", "id", clauses(r)}, {"c", "up", "c", "id", clauses(r)},
		{"d", "pid, n", "p", "id, n", one(r, "", " MATCH FULL") + clauses(r)}, {"e", "cid", "c", "id", clauses(r)}}
	if !k.partitioned["p"] {
		k.keys = append(k.keys, key{"e", "n", "p", "n", clauses(r)})
	}
	return k
}

// clauses are the actions of a key, and when it is checked.
func clauses(r *rand.Rand) string {
	action := func() string {
		return one(r, "CASCADE", "CASCADE", "CASCADE", "SET NULL", "SET NULL", "SET DEFAULT", "NO ACTION", "RESTRICT")
	}
	return " ON DELETE " + action() + " ON UPDATE " + action() +
		one(r, "", "", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE INITIALLY DEFERRED")
}

func one(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// Create are the statements that make the tables, with all parents.
func (k *Kin) Create() []string {
	unique := ", UNIQUE (n)" // a partitioned table can have none
	if k.partitioned["p"] {
		unique = ""
	}
	out := k.table("p", "id int PRIMARY KEY, n int, UNIQUE (id, n)"+unique)
	out = append(out, k.table("c", "id int PRIMARY KEY, pid int DEFAULT 1, up int")...)
	out = append(out, k.table("d", "id int PRIMARY KEY, pid int, n int")...)
	out = append(out, k.table("e", "id int PRIMARY KEY, cid int DEFAULT 2, n int")...)
	out = append(out, "CREATE INDEX ON c (pid)", "CREATE INDEX ON c (up)", "CREATE INDEX ON d (n, pid)")
	for i := range Parents {
		out = append(out, fmt.Sprintf("INSERT INTO p VALUES (%d, %d)", i, i))
	}
	return out
}

func (k *Kin) table(name, columns string) []string {
	for _, f := range k.keys {
		if f.child == name {
			columns += fmt.Sprintf(", FOREIGN KEY (%s) REFERENCES %s (%s)%s", f.columns, f.parent, f.referred,
				f.clauses)
		}
	}
	create := fmt.Sprintf("CREATE TABLE %s (%s)", name, columns)
	if !k.partitioned[name] {
		return []string{create}
	}
	return []string{create + " PARTITION BY LIST (id)",
		fmt.Sprintf("CREATE TABLE %s_some PARTITION OF %[1]s FOR VALUES IN (0, 2, 3, 5, 8, 13, 21)", name),
		fmt.Sprintf("CREATE TABLE %s_others PARTITION OF %[1]s DEFAULT", name)}
}

// Write is a random statement that writes rows of one table.
func (k *Kin) Write(r *rand.Rand) string {
	parent, child := r.IntN(Parents), r.IntN(k.children)
	other := fmt.Sprint(r.IntN(Parents))
	if r.IntN(6) == 0 {
		other = "NULL"
	}
	switch r.IntN(16) {
	case 0, 1:
		return fmt.Sprintf("DELETE FROM p WHERE id = %d", parent)
	case 2:
		return fmt.Sprintf("UPDATE p SET id = %d WHERE id = %d", r.IntN(Parents), parent)
	case 3:
		return fmt.Sprintf("UPDATE p SET n = %s WHERE id = %d", other, parent)
	case 4, 5:
		return fmt.Sprintf("INSERT INTO p VALUES (%d, %s) ON CONFLICT DO NOTHING", parent, other)
	case 6, 7:
		return fmt.Sprintf("INSERT INTO c VALUES (%d, %s, %d) ON CONFLICT (id) DO UPDATE SET pid = excluded.pid", child,
			other, r.IntN(k.children))
	case 8:
		return fmt.Sprintf("INSERT INTO c VALUES (%d, %s, NULL) ON CONFLICT DO NOTHING", child, other)
	case 9:
		return fmt.Sprintf("UPDATE c SET up = %d WHERE id = %d", r.IntN(k.children), child)
	case 10:
		return fmt.Sprintf("UPDATE c SET id = %d WHERE id = %d", r.IntN(k.children), child)
	case 11:
		return fmt.Sprintf("INSERT INTO d SELECT %d, id, n FROM p WHERE id = %d ON CONFLICT DO NOTHING", child, parent)
	case 12:
		return fmt.Sprintf("INSERT INTO d VALUES (%d, %d, %s) ON CONFLICT DO NOTHING", child, parent, other)
	case 13:
		return fmt.Sprintf("INSERT INTO e SELECT %d, id, %s FROM c WHERE id = %d ON CONFLICT DO NOTHING", child, other,
			r.IntN(k.children))
	case 14:
		return fmt.Sprintf("DELETE FROM %s WHERE id = %d", one(r, "d", "e"), child)
	}
	return fmt.Sprintf("DELETE FROM c WHERE %s = %d", one(r, "id", "pid", "up"), parent)
}

// Orphans are queries of which each counts the rows that do not meet one of the foreign keys.
func (k *Kin) Orphans() (out []string) {
	for _, f := range k.keys {
		var null, same []string
		referred := strings.Split(f.referred, ", ")
		for i, c := range strings.Split(f.columns, ", ") {
			null = append(null, "o."+c+" IS NULL")
			same = append(same, "r."+referred[i]+" = o."+c)
		}
		none := strings.Join(null, " OR ")
		if strings.Contains(f.clauses, "FULL") {
			none = strings.Join(null, " AND ")
		}
		out = append(out, fmt.Sprintf("SELECT count(*) FROM %s o WHERE NOT (%s) AND NOT EXISTS (SELECT FROM %s r WHERE %s)",
			f.child, none, f.parent, strings.Join(same, " AND ")))
	}
	return out
}
