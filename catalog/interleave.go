package catalog

import (
	"slices"
	"strconv"

	"zproxy/catalog/part"
	"zproxy/store/nesting"
)

// hosted is the host of a space, nil for one of its own.
func hosted(own Space, l *Layout, hosts bool) *nesting.Host {
	in := own.In
	if in == nil && !hosts {
		return nil
	}
	h := &nesting.Host{ID: own.ID, Name: own.Name, Partition: len(l.Partition)}
	if in != nil {
		h.ID, h.Name = in.HostID, in.HostName
	}
	parts := l.Parts()
	if !l.Unique {
		parts = append(parts, l.Tie...)
	}
	for i := range parts {
		h.Parts = append(h.Parts, nesting.Part{Desc: parts[i].Desc, Marker: parts[i].Marker()})
	}
	return h
}

// Behind is the layout of keys that lie behind those of a parent: the columns of its key are others, and own parts
// follow. The items are in a space of their own number.
func (l *Layout) Behind(of func(parent uint32) uint32, own []Part, space Space) Layout {
	out := Layout{Unique: true}
	for _, p := range l.Partition {
		out.Partition = append(out.Partition, p.With(of))
	}
	for _, p := range l.Sort {
		out.Sort = append(out.Sort, p.With(of))
	}
	out.Sort = append(out.Sort, markerOf(space))
	out.Sort = append(out.Sort, own...)
	return out
}

// markerOf is the part that tells the keys of a space from others behind the same parent.
func markerOf(space Space) Part {
	return Part{Kind: part.Literal, Text: strconv.FormatUint(space.ID, 10)}
}

// In is the layout for the items of another space.
func (l *Layout) In(from, to Space) Layout {
	out, marker := *l, markerOf(from)
	out.Sort = slices.Clone(l.Sort)
	for i := range out.Sort {
		if p := &out.Sort[i]; p.Kind == marker.Kind && p.Text == marker.Text {
			*p = markerOf(to)
		}
	}
	return out
}

// In is the index with its entries in another space, behind the same rows.
func (x *Index) In(space Space) Index {
	out := *x
	out.Space = x.Space.Next(space)
	out.Layout = x.Layout.In(x.Space, out.Space)
	return out
}
