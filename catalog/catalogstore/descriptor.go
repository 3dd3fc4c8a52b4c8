package catalogstore

import (
	"encoding/json"
	"fmt"

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
	if s.PrimaryKey != "" && s.KeyID == 0 {
		s.KeyID = 1<<31 | s.ID // of the time when primary keys had no number: one that nothing else has
	}
	return s.Table, nil
}
