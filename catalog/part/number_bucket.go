package part

import (
	"fmt"
	"slices"

	"zproxy/encoding/span"
	"zproxy/sqlerr"
	"zproxy/types"
)

// NumberBucket is which of the pieces of Count numbers one lies in, counted from 0 on: of 100, those from
// 200 to 299 lie in bucket 2, and those from -100 to -1 in bucket -1.
const NumberBucket Kind = 7

type numberBucket struct{ base }

// slice is the bucket that an integer lies in.
type slice struct {
	of   []Source // one
	size int64
}

func (numberBucket) bind(p *Part, t Table) (Bound, error) {
	return Bound{Of: &slice{sourcesOf(t, p.Column), int64(p.Count)}, Type: types.Int8}, nil
}

// Value implements Computed.
func (s *slice) Value(row types.Row) types.Value { return s.bucket(row[s.of[0].Place]) }

func (s *slice) bucket(v types.Value) types.Value {
	if v.IsNull() {
		return v
	}
	return types.NewInt(floorDiv(v.Int(), s.size))
}

// Take implements Computed.
func (s *slice) Take(k Known) bool { return k.Points(s.of, s) || k.Units(&s.of[0], s) }

// Within implements Units.
func (s *slice) Within(set span.Set, most int) ([]types.Value, bool) {
	var out []types.Value
	for _, in := range set.Intervals {
		hull := s.Hull(span.Of(in))
		list, ok := countOut(hull, most-len(out))
		if !ok {
			return nil, false
		}
		for _, v := range list {
			out = appendUnit(out, v)
		}
	}
	return out, true
}

// Hull implements Units.
func (s *slice) Hull(set span.Set) span.Interval {
	hull := set.Hull()
	low, high := span.Inward(hull.Low, hull.LowOpen, true), span.Inward(hull.High, hull.HighOpen, false)
	return span.Interval{Low: s.bucket(low), High: s.bucket(high)}
}

func (s *slice) nulls() []Source { return s.of }

func (s *slice) misfit(row types.Row, at spot) (why string, place int) {
	return at.misnumbered(s.Value(row)), s.of[0].Place
}

func (numberBucket) describe(p *Part, t Table) string {
	return fmt.Sprintf("bucket(%s, %d)", namesOf(t, p.Column), p.Count)
}

func (numberBucket) template(p *Part, t Table) string {
	return hole(fmt.Sprintf("bucket(%s, %d)", templateName(t, p.Column), p.Count), padding(p.Width))
}

func (numberBucket) count(p *Part, t Table, n int) string {
	return fmt.Sprintf("%d buckets of %s", n, namesOf(t, p.Column))
}

func (numberBucket) follows(p *Part) (column uint32, ok bool) { return p.Column, true }

func (numberBucket) varies(p *Part, _ Table) (before, behind string, ok bool) {
	return decimals, decimals, p.Width == 0
}

func (numberBucket) function() Function {
	return Function{
		Name: "bucket", Usage: "bucket(column, size)", texts: true,
		takes: []ArgKind{ColumnArg, NumberArg}, make: sliced,
	}
}

// sliced is the bucket of a number.
func sliced(args []Arg) (Part, *sqlerr.Error) {
	of, size := args[0].Source, args[1].Number
	switch integers := []types.OID{types.OIDInt2, types.OIDInt4, types.OIDInt8}; {
	case !slices.Contains(integers, of.Type.OID):
		return Part{}, sqlerr.New(sqlerr.DatatypeMismatch, "column %q of type %s is no integer to make buckets of",
			of.Name, of.Type)
	case size < 1:
		return Part{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"a bucket of column %q must hold at least 1 number, not %d", of.Name, size)
	}
	return Part{Kind: NumberBucket, Column: of.ID, Count: int(size)}, nil
}
