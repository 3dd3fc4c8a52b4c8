package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rowID names a row of a writer.
type rowID struct {
	table string
	n     int64
}

// values are those of a row beside its key.
type values struct {
	a, b, u, m int64
	s          string
}

func (v values) sql() string { return fmt.Sprintf("%d, %d, %d, %d, '%s'", v.a, v.b, v.u, v.m, v.s) }

// rowsOfWriter are the rows that a writer has: no other writer writes them.
type rowsOfWriter struct {
	known map[rowID]values // what was acknowledged
	// made is what a transaction has made of some of them, nil where a row is gone. While its
	// commit is under way it may be there, or not: as a whole.
	made map[rowID]*values
}

func newRows() *rowsOfWriter {
	return &rowsOfWriter{known: map[rowID]values{}, made: map[rowID]*values{}}
}

// get is a row as the transaction sees it.
func (r *rowsOfWriter) get(p rowID) *values {
	if v, ok := r.made[p]; ok {
		return v
	}
	if v, ok := r.known[p]; ok {
		return &v
	}
	return nil
}

// among are the rows of a table, in order, from one on up to another, as the transaction sees
// them.
func (r *rowsOfWriter) among(table string, from, to int64) []rowID {
	var out []rowID
	for p := range r.known {
		if p.table == table && p.n >= from && p.n <= to && r.get(p) != nil {
			out = append(out, p)
		}
	}
	for p, v := range r.made {
		if _, known := r.known[p]; v != nil && !known && p.table == table && p.n >= from && p.n <= to {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b rowID) int { return int(a.n - b.n) })
	return out
}

// change changes the rows of some IDs.
func (r *rowsOfWriter) change(at []rowID, f func(*values)) {
	for _, p := range at {
		v := *r.get(p)
		f(&v)
		r.made[p] = &v
	}
}

func (r *rowsOfWriter) keep() {
	r.known = r.after()
	r.forget()
}

func (r *rowsOfWriter) forget() { r.made = map[rowID]*values{} }

// after are the rows if the transaction is there.
func (r *rowsOfWriter) after() map[rowID]values {
	out := maps.Clone(r.known)
	for p, v := range r.made {
		if v == nil {
			delete(out, p)
		} else {
			out[p] = *v
		}
	}
	return out
}

// resolve learns from the rows that are there what became of the transaction, and says what is
// wrong with them if they are as neither before nor after it.
func (r *rowsOfWriter) resolve(there map[rowID]values) string {
	if maps.Equal(there, r.known) {
		r.forget()
		return ""
	}
	if after := r.after(); maps.Equal(there, after) {
		r.keep()
		return ""
	}
	return fmt.Sprintf("compared with what was acknowledged:\n%s, and with the transaction that was under way:\n%s",
		differences(there, r.known), differences(there, r.after()))
}

// differences tells of some rows that are not as they should be.
func differences(there, want map[rowID]values) string {
	var out []string
	for p, v := range want {
		switch w, ok := there[p]; {
		case !ok:
			out = append(out, fmt.Sprintf("%v %v is lost", p, v))
		case v != w:
			out = append(out, fmt.Sprintf("%v is %v and should be %v", p, w, v))
		}
	}
	for p, v := range there {
		if _, ok := want[p]; !ok {
			out = append(out, fmt.Sprintf("%v %v should not be there", p, v))
		}
	}
	slices.Sort(out)
	if n := len(out); n > 6 {
		out = append(out[:6], fmt.Sprintf("and %d more", n-6))
	}
	return strings.Join(out, "\n")
}
