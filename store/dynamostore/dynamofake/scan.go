package dynamofake

import "math/bits"

// scan is Scan.
type scan struct {
	pages
	Segment, TotalSegments *int
}

// maxSegments is in how many parts a table may be scanned.
const maxSegments = 1_000_000

func (s *scan) check() error {
	switch {
	case s.Segment != nil && s.TotalSegments == nil:
		return invalid("If segment is specified, total segment must also be specified")
	case s.Segment == nil && s.TotalSegments != nil:
		return invalid("If total segments is specified, a particular segment must also be specified for this request")
	case s.Segment != nil && (*s.Segment >= *s.TotalSegments || *s.Segment < 0):
		return invalid("1 validation error detected: Value '%d' at 'segment' failed to satisfy constraint: Member must have value less than or equal to %d", *s.Segment, *s.TotalSegments-1)
	case s.TotalSegments != nil && *s.TotalSegments > maxSegments:
		return invalid("1 validation error detected: Value '%d' at 'totalSegments' failed to satisfy constraint: Member must have value less than or equal to %d", *s.TotalSegments, maxSegments)
	}
	_, err := s.take(nil)
	return err
}

func (s *scan) run(c *call) (fields, error) {
	src, err := s.source(c)
	if err != nil {
		return nil, err
	}
	start, err := src.start(s.ExclusiveStartKey)
	if err != nil {
		return nil, err
	}
	if err := c.mayRead(src.table, src.index, ""); err != nil {
		return nil, err
	}
	g := s.newPage(c, src)
	s.walk(g, src.tree, start)
	return g.answer(""), nil
}

// walk evaluates the partitions of the segment, behind a start.
func (s *scan) walk(g *page, t *tree, start *itemKey) {
	first, skip := 0, 0
	if start != nil {
		at := &partition{key: start.partition, hash: mix(start.partition)}
		i, there := t.search(at)
		first = i
		if there {
			skip = t.partitions[i].behind(start.sort, false)
		}
	}
	for _, part := range t.partitions[first:] {
		entries := part.entries[skip:]
		skip = 0
		if !s.mine(part.hash) {
			continue
		}
		for _, e := range entries {
			if !g.take(part.key, e) {
				return
			}
		}
	}
}

// mine says whether a partition is in the segment. Segments are ranges of hashes.
func (s *scan) mine(hash uint64) bool {
	if s.TotalSegments == nil {
		return true
	}
	segment, _ := bits.Mul64(hash, uint64(*s.TotalSegments))
	return segment == uint64(*s.Segment)
}
