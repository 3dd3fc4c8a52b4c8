package exchange

import (
	"slices"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// documents are the rows of a table as JSON. Values are texts, since these read back as they were:
//
//	{"key": {"id": "7"}, "row": {"at": 1000}, "deleted": {"at": 500},
//	 "cells": {"a": {"at": 2000, "count": 1, "value": "x"}}}
//
// The row is when it was inserted; a count, which is 0 where it is missing, orders what was written in one millisecond.
// The row and each cell may have "older" versions, a list of the same.
type documents struct {
	table  *catalog.Table
	layout *cells.Layout
	env    *types.Env
}

func documentsOf(t *catalog.Table, env *types.Env) documents {
	return documents{t, celltime.Layout(t), env}
}

// The members of a document, and of a timestamp in it.
const (
	keyMember     = "key"
	rowMember     = "row"
	cellsMember   = "cells"
	deletedMember = "deleted"
	atMember      = "at"
	countMember   = "count"
	valueMember   = "value"
	olderMember   = "older"
)

// newest is the greatest time of a state.
func newest(s *cells.State) cells.Time {
	at := s.Deleted
	for _, c := range s.Cells {
		at = max(at, c.At)
	}
	return at
}

// of is the document of a stored row with its state.
func (d documents) of(row types.Row, s *cells.State) *json.Value {
	var key, timed members
	for _, i := range d.table.KeyOrdinals() {
		key.add(d.table.Columns[i].Name, d.text(row[i], i))
	}
	var out members
	out.add(keyMember, key.object())
	if all := s.Versions(cells.Row, types.Null); all != nil {
		out.add(rowMember, d.versions(all, -1))
	}
	for _, c := range d.layout.Columns {
		if all := s.Versions(c.ID, row[c.Ordinal]); all != nil {
			timed.add(d.table.Columns[c.Ordinal].Name, d.versions(all, c.Ordinal))
		}
	}
	if timed.keys != nil {
		out.add(cellsMember, timed.object())
	}
	if s.Deleted != cells.Never {
		deleted := timestamp(s.Deleted)
		out.add(deletedMember, deleted.object())
	}
	o := out.object()
	return &o
}

// versions are the versions of a cell, or of the row, which has no column: the newest, and in it the older ones.
func (d documents) versions(all []cells.Version, column int) json.Value {
	var newest members
	older := json.Value{Kind: json.Array}
	for i, v := range all {
		m := timestamp(v.At)
		if column >= 0 {
			m.add(valueMember, d.text(v.Value, column))
		}
		if i == 0 {
			newest = m
			continue
		}
		older.Items = append(older.Items, m.object())
	}
	if older.Items != nil {
		newest.add(olderMember, older)
	}
	return newest.object()
}

// text is a value of a column.
func (d documents) text(v types.Value, column int) json.Value {
	if v.IsNull() {
		return json.Value{Kind: json.Null}
	}
	return json.Value{Kind: json.String, Text: types.FormatText(v, d.table.Columns[column].Type, d.env)}
}

// timestamp are the members that say when something was written.
func timestamp(at cells.Time) members {
	var out members
	out.add(atMember, number(at.Milli()))
	if n := at.Count(); n != 0 {
		out.add(countMember, number(n))
	}
	return out
}

func number(n int64) json.Value { return json.Value{Kind: json.Number, Number: apd.New(n, 0)} }

// members are those of an object that is being made.
type members struct {
	keys  []string
	items []json.Value
}

func (m *members) add(key string, v json.Value) {
	m.keys, m.items = append(m.keys, key), append(m.items, v)
}

func (m *members) object() json.Value { return *json.NewObject(m.keys, m.items) }

// row reads a document: the row that it makes where nothing is known of its key.
func (d documents) row(doc *json.Value) (types.Row, error) {
	if err := only(doc, "a change", keyMember, rowMember, cellsMember, deletedMember); err != nil {
		return nil, err
	}
	row, s := make(types.Row, len(d.table.Columns)), cells.New()
	if err := d.readKey(row, doc.Member(keyMember)); err != nil {
		return nil, err
	}
	var err error
	if at := doc.Member(deletedMember); at != nil {
		if s.Deleted, err = readTime(at, deletedMember); err != nil {
			return nil, err
		}
	}
	if inserted := doc.Member(rowMember); inserted != nil {
		if _, err := d.readVersions(&s, inserted, rowMember, cells.Column{ID: cells.Row, Ordinal: -1}); err != nil {
			return nil, err
		}
	}
	if err := d.readCells(row, &s, doc.Member(cellsMember)); err != nil {
		return nil, err
	}
	if s.Gone() && s.Deleted == cells.Never {
		return nil, invalid("a change has no timestamp")
	}
	d.layout.Merge(row, s, row, s) // leaves out what was written before the delete, and versions that are not kept
	return row, nil
}

// readKey reads the values of the primary key.
func (d documents) readKey(row types.Row, key *json.Value) error {
	if key == nil {
		return invalid("a change has no %q", keyMember)
	}
	var names []string
	for _, i := range d.table.KeyOrdinals() {
		name := d.table.Columns[i].Name
		names = append(names, name)
		v := key.Member(name)
		if v == nil || v.Kind == json.Null {
			return invalid("the key of a change has no %q", name)
		}
		var err error
		if row[i], err = d.readValue(i, v); err != nil {
			return err
		}
	}
	return only(key, "the key of a change", names...)
}

// readCells reads the cells of a change, if there are any.
func (d documents) readCells(row types.Row, s *cells.State, timed *json.Value) error {
	if timed == nil {
		return nil
	}
	if timed.Kind != json.Object {
		return invalid("%q is not an object", cellsMember)
	}
	for i, name := range timed.Keys {
		at := slices.IndexFunc(d.layout.Columns,
			func(c cells.Column) bool { return d.table.Columns[c.Ordinal].Name == name })
		if at < 0 {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q of table %q has no cells", name, d.table.Name)
		}
		newest, err := d.readVersions(s, &timed.Items[i], name, d.layout.Columns[at])
		if err != nil {
			return err
		}
		row[d.layout.Columns[at].Ordinal] = newest
	}
	return nil
}

// readVersions reads the versions of a cell, or of the row, into a state, and returns the newest value.
func (d documents) readVersions(s *cells.State, cell *json.Value, name string, c cells.Column) (types.Value, error) {
	newest, err := d.readVersion(cell, name, c, olderMember)
	if err != nil {
		return types.Null, err
	}
	s.Cells = append(s.Cells, newest.Cell)
	older := cell.Member(olderMember)
	switch {
	case older == nil:
		return newest.Value, nil
	case older.Kind != json.Array:
		return types.Null, invalid("%q of %q is not an array", olderMember, name)
	}
	for i := range older.Items {
		v, err := d.readVersion(&older.Items[i], name, c)
		if err != nil {
			return types.Null, err
		}
		s.Older = append(s.Older, v)
	}
	return newest.Value, nil
}

// readVersion reads one version of a cell, or of the row, which may have more members.
func (d documents) readVersion(from *json.Value, name string, c cells.Column, more ...string) (cells.Version, error) {
	out, err := cells.Version{Cell: cells.Cell{Column: c.ID}}, error(nil)
	if c.Ordinal < 0 {
		out.At, err = readTime(from, name, more...)
		return out, err
	}
	if out.At, err = readTime(from, name, append(more, valueMember)...); err != nil {
		return out, err
	}
	v := from.Member(valueMember)
	if v == nil {
		return out, invalid("cell %q has no %q", name, valueMember)
	}
	out.Value, err = d.readValue(c.Ordinal, v)
	return out, err
}

// readValue reads the text of a value.
func (d documents) readValue(column int, from *json.Value) (types.Value, error) {
	typ := d.table.Columns[column].Type
	switch from.Kind {
	case json.Null:
		return types.Null, nil
	case json.String:
	default:
		return types.Null, invalid("the value of column %q is not a text", d.table.Columns[column].Name)
	}
	v, err := types.ParseText(from.Text, typ, d.env)
	if err != nil {
		return types.Null, err
	}
	return types.ApplyMod(v, typ, false, d.env)
}

// readTime reads a timestamp from an object, which may have more members.
func readTime(from *json.Value, name string, more ...string) (cells.Time, error) {
	if err := only(from, strconv.Quote(name), append(more, atMember, countMember)...); err != nil {
		return cells.Never, err
	}
	milli, err := readNumber(from, name, atMember, cells.MaxMilli)
	if err != nil {
		return cells.Never, err
	}
	count := int64(0)
	if from.Member(countMember) != nil {
		if count, err = readNumber(from, name, countMember, cells.MaxCount); err != nil {
			return cells.Never, err
		}
	}
	return cells.At(milli) + cells.Time(count), nil
}

// readNumber reads a number that is not negative.
func readNumber(from *json.Value, name, member string, most int64) (int64, error) {
	v := from.Member(member)
	if v == nil || v.Kind != json.Number {
		return 0, invalid("%q has no number %q", name, member)
	}
	n, err := v.Number.Int64()
	if err != nil || n < 0 || n > most {
		return 0, invalid("%q of %q is not an integer from 0 to %d", member, name, most)
	}
	return n, nil
}

// only wants an object without other members.
func only(o *json.Value, what string, known ...string) error {
	if o.Kind != json.Object {
		return invalid("%s is not an object", what)
	}
	for _, k := range o.Keys {
		if !slices.Contains(known, k) {
			return invalid("%s has an unknown member %q", what, k)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...).
		WithHint("zproxy.changes() shows how a change is written.")
}
