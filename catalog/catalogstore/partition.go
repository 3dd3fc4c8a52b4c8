package catalogstore

import (
	"encoding/json"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/types"
)

// storedBounds is what a partition takes, with values as the texts of their types; of a list nil is NULL.
type storedBounds struct {
	From, To []storedEdge `json:",omitempty"`
	In       []*string    `json:",omitempty"`
}

type storedEdge struct {
	Infinity int8    `json:",omitempty"`
	Value    *string `json:",omitempty"`
}

func boundsOf(p *partition.Of) *storedBounds {
	edges := func(list []partition.Edge) (out []storedEdge) {
		for i, e := range list {
			out = append(out, storedEdge{e.Infinity, textOf(e.Value, p.By.Keys[i].Type)})
		}
		return out
	}
	out := &storedBounds{From: edges(p.From), To: edges(p.To)}
	for _, v := range p.In {
		out.In = append(out.In, textOf(v, p.By.Keys[0].Type))
	}
	return out
}

// readPartitioning reads what a partition takes.
func readPartitioning(s *storedTable, body string) error {
	if s.Bounds == nil {
		return readRanges(s.Table, body)
	}
	p := s.PartitionOf
	edges := func(list []storedEdge) (out []partition.Edge, err error) {
		for i, e := range list {
			edge := partition.Edge{Infinity: e.Infinity}
			if edge.Value, err = valueOf(e.Value, p.By.Keys[i].Type); err != nil {
				return nil, err
			}
			out = append(out, edge)
		}
		return out, nil
	}
	var err error
	if p.From, err = edges(s.Bounds.From); err == nil {
		p.To, err = edges(s.Bounds.To)
	}
	for _, text := range s.Bounds.In {
		var v types.Value
		if err == nil {
			v, err = valueOf(text, p.By.Keys[0].Type)
		}
		p.In = append(p.In, v)
	}
	return err
}

// readRanges reads the partitioning of the time when there was nothing but ranges of one column.
func readRanges(t *catalog.Table, body string) error {
	type edge struct{ Infinity int8 }
	var old struct {
		Partitioning *struct{ Column uint32 }
		PartitionOf  *struct {
			Column   uint32
			From, To edge
		}
		From, To *string
	}
	if t.Partitioning == nil && t.PartitionOf == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(body), &old); err != nil {
		return err
	}
	by := func(column uint32) (partition.By, error) {
		at := t.Ordinal(column)
		if at < 0 {
			return partition.By{}, fmt.Errorf("partitions by column %d, which is not there", column)
		}
		return partition.By{Strategy: partition.Range,
			Keys: []partition.Key{{Column: column, Type: t.Columns[at].Type}}}, nil
	}
	var err error
	if t.Partitioning != nil && t.Partitioning.Keys == nil {
		if *t.Partitioning, err = by(old.Partitioning.Column); err != nil {
			return err
		}
	}
	p := t.PartitionOf
	if p == nil || p.By.Keys != nil {
		return nil
	}
	if p.By, err = by(old.PartitionOf.Column); err != nil || p.Default {
		return err
	}
	p.From, p.To = []partition.Edge{{Infinity: old.PartitionOf.From.Infinity}},
		[]partition.Edge{{Infinity: old.PartitionOf.To.Infinity}}
	if p.From[0].Value, err = valueOf(old.From, p.By.Keys[0].Type); err == nil {
		p.To[0].Value, err = valueOf(old.To, p.By.Keys[0].Type)
	}
	return err
}
