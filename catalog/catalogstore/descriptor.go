package catalogstore

import (
	"encoding/json"
	"fmt"
	"strings"

	"zproxy/catalog"
)

// kindOf is where an object is kept.
func kindOf(o catalog.Object) (kind string, id uint64) {
	switch o := o.(type) {
	case *catalog.Table:
		return kindTable, uint64(o.ID)
	case *catalog.View:
		return kindView, uint64(o.ID)
	case *catalog.Sequence:
		return kindSequence, uint64(o.ID)
	case *catalog.Statistics:
		return kindStatistics, uint64(o.ID)
	case *catalog.Extension:
		return kindExtension, uint64(o.ID)
	case *catalog.Function:
		return kindFunction, uint64(o.ID)
	case *catalog.Type:
		return kindType, uint64(o.ID)
	case *catalog.Plain:
		return kindPlain, uint64(o.ID)
	case *catalog.Schema:
		return kindSchema, uint64(o.ID)
	case *catalog.Role:
		return kindRole, uint64(o.ID)
	case *catalog.Database:
		return kindDatabase, uint64(o.ID)
	}
	return "", 0
}

// storedTable is the form of a table in the store.
type storedTable struct {
	*catalog.Table
	// Missing are the values of Column.Missing, by column ID, as texts of their types.
	Missing map[uint32]string `json:",omitempty"`
	// Bounds are what a partition takes, likewise.
	Bounds *storedBounds `json:",omitempty"`
}

func encode(o catalog.Object) (string, error) {
	var in any = o
	if t, ok := o.(*catalog.Table); ok {
		s := storedTable{Table: t}
		for _, c := range t.Columns {
			text := textOf(c.Missing, c.Type)
			if text == nil {
				continue
			}
			if s.Missing == nil {
				s.Missing = map[uint32]string{}
			}
			s.Missing[c.ID] = *text
		}
		if t.PartitionOf != nil {
			s.Bounds = boundsOf(t.PartitionOf)
		}
		in = s
	}
	body, err := json.Marshal(in)
	return string(body), err
}

func decode(kind, body string) (catalog.Object, error) {
	var out catalog.Object
	switch kind {
	case kindTable:
		return decodeTable(body)
	case kindView:
		out = &catalog.View{}
	case kindSequence:
		out = &catalog.Sequence{}
	case kindStatistics:
		out = &catalog.Statistics{}
	case kindExtension:
		out = &catalog.Extension{}
	case kindFunction:
		out = &catalog.Function{}
	case kindType:
		out = &catalog.Type{}
	case kindPlain:
		out = &catalog.Plain{}
	case kindSchema:
		out = &catalog.Schema{}
	case kindRole:
		out = &catalog.Role{}
	case kindDatabase:
		out = &catalog.Database{}
	default:
		return nil, fmt.Errorf("%q is no kind of object", kind)
	}
	return out, json.Unmarshal([]byte(body), out)
}

func decodeTable(body string) (catalog.Object, error) {
	s := storedTable{Table: &catalog.Table{}}
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		return nil, err
	}
	for id, text := range s.Missing {
		at := s.Ordinal(id)
		if at < 0 {
			return nil, fmt.Errorf("a value for column %d, which is not there", id)
		}
		v, err := valueOf(&text, s.Columns[at].Type)
		if err != nil {
			return nil, err
		}
		s.Columns[at].Missing = v
	}
	if err := readPartitioning(&s, body); err != nil {
		return nil, err
	}
	if err := readNotNull(s.Table, body); err != nil {
		return nil, err
	}
	if s.PrimaryKey != "" && s.KeyID == 0 {
		s.KeyID = 1<<31 | s.ID // of the time when primary keys had no number: one that nothing else has
	}
	return s.Table, nil
}

// readNotNull reads the conditions of partial indexes of the time when they were nothing but
// lists of columns without NULL.
func readNotNull(t *catalog.Table, body string) error {
	var old struct{ Indexes []struct{ NotNull []uint32 } }
	if err := json.Unmarshal([]byte(body), &old); err != nil {
		return err
	}
	for i := range old.Indexes {
		x := &t.Indexes[i]
		if len(old.Indexes[i].NotNull) == 0 || x.Where != nil {
			continue
		}
		x.Where = &catalog.Condition{Over: catalog.Use{ID: t.ID, Schema: t.Schema, Name: t.Name},
			NotNull: old.Indexes[i].NotNull}
		var terms []string
		for _, id := range x.Where.NotNull {
			at := t.Ordinal(id)
			if at < 0 {
				return fmt.Errorf("a condition on column %d, which is not there", id)
			}
			name := t.Columns[at].Name
			x.Where.Over.Columns = append(x.Where.Over.Columns, catalog.Bound{ID: id, Name: name})
			terms = append(terms, `"`+strings.ReplaceAll(name, `"`, `""`)+`" IS NOT NULL`)
		}
		x.Where.Text = strings.Join(terms, " AND ")
	}
	return nil
}
