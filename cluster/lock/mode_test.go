package lock

import (
	"strings"
	"testing"
)

// conflicting are the tables of PostgreSQL's documentation, section 13.3: X is a conflict.
var conflicting = map[string]string{
	"AccessShare RowShare RowExclusive ShareUpdateExclusive Share ShareRowExclusive Exclusive AccessExclusive": `
		. . . . . . . X
		. . . . . . X X
		. . . . X X X X
		. . . X X X X X
		. . X X . X X X
		. . X X X X X X
		. X X X X X X X
		X X X X X X X X`,
	"KeyShare Share NoKeyUpdate Update": `
		. . . X
		. . X X
		. X X X
		X X X X`,
}

// TestModes holds conflicts, and what is granted to two owners, against PostgreSQL's tables.
func TestModes(t *testing.T) {
	p := &player{t: t}
	for names, table := range conflicting {
		modes := strings.Fields(names)
		cells := strings.Fields(table)
		for i, a := range modes {
			for j, b := range modes {
				m := NewManager()
				one, other := m.NewOwner(1), m.NewOwner(2)
				tag := Tag{Class: Object, Key: 7}
				first, _ := one.Acquire(forever(t), tag, p.mode(a), NoWait)
				second, _ := other.Acquire(forever(t), tag, p.mode(b), NoWait)
				if conflict := cells[i*len(modes)+j] == "X"; !first.Granted || second.Granted == conflict {
					t.Errorf("%s beside %s: %v", b, a, second.Granted)
				}
				covers := !strings.Contains(against(cells, j, len(modes), i), "X")
				if p.mode(a).bit().covers(p.mode(b)) != covers {
					t.Errorf("%s covers %s: it should be %v", a, b, covers)
				}
			}
		}
	}
}

// against has an X for each mode that conflicts with one and not with another one.
func against(cells []string, one, n, other int) (out string) {
	for k := range n {
		if cells[one*n+k] == "X" && cells[other*n+k] != "X" {
			out += "X"
		}
	}
	return out
}
