package catalogstore

import (
	"fmt"

	"zproxy/catalog/elements"
	"zproxy/types"
)

// storedElements is the form of what is known of elements.
type storedElements struct {
	Common  []string        `json:",omitempty"`
	Shares  []float64       `json:",omitempty"` // of Common
	Others  elements.Rest   `json:",omitzero"`
	Nulls   float64         `json:",omitempty"`
	Counts  []int           `json:",omitempty"`
	Parts   []string        `json:",omitempty"`
	Within  []float64       `json:",omitempty"` // the shares of Parts
	Paths   []string        `json:",omitempty"`
	Ends    []elements.Rest `json:",omitempty"` // of Paths
	Sampled int
}

// elementOf is the type in which elements of a type are listed: those of documents are texts.
func elementOf(t types.T) types.T {
	if element, ok := types.ElementOf(t); ok {
		return element
	}
	return types.Text
}

func encodeElements(s *elements.Stats, t types.T) *storedElements {
	if s == nil {
		return nil
	}
	out := &storedElements{Others: s.Others, Nulls: s.Nulls, Counts: s.Counts, Sampled: s.Sampled}
	for _, c := range s.Common {
		out.Common, out.Shares = append(out.Common, *textOf(c.Value, elementOf(t))), append(out.Shares, c.Share)
	}
	for _, c := range s.Parts {
		out.Parts, out.Within = append(out.Parts, *textOf(c.Value, t)), append(out.Within, c.Share)
	}
	for _, p := range s.Paths {
		out.Paths, out.Ends = append(out.Paths, *textOf(p.Of, t)), append(out.Ends, p.Rest)
	}
	return out
}

// thin leaves out the less common half of what is listed. It says whether there was anything.
func (s *storedElements) thin() bool {
	if s == nil || len(s.Common)+len(s.Parts)+len(s.Paths) == 0 {
		return false
	}
	s.Common, s.Shares = s.Common[:len(s.Common)/2], s.Shares[:len(s.Shares)/2]
	s.Parts, s.Within = s.Parts[:len(s.Parts)/2], s.Within[:len(s.Within)/2]
	s.Paths, s.Ends = s.Paths[:len(s.Paths)/2], s.Ends[:len(s.Ends)/2]
	return true
}

func decodeElements(in *storedElements, t types.T) (*elements.Stats, error) {
	if in == nil || !elements.Has(t) {
		return nil, nil
	}
	out := &elements.Stats{Others: in.Others, Nulls: in.Nulls, Counts: in.Counts, Sampled: in.Sampled}
	var err error
	if out.Common, err = commonOf(in.Common, in.Shares, elementOf(t)); err != nil {
		return nil, err
	}
	if out.Parts, err = commonOf(in.Parts, in.Within, t); err != nil {
		return nil, err
	}
	if len(in.Paths) != len(in.Ends) {
		return nil, fmt.Errorf("%d paths with %d ends", len(in.Paths), len(in.Ends))
	}
	for i := range in.Paths {
		of, err := valueOf(&in.Paths[i], t)
		if err != nil {
			return nil, err
		}
		out.Paths = append(out.Paths, elements.Path{Of: of, Rest: in.Ends[i]})
	}
	return out, nil
}

func commonOf(list []string, shares []float64, t types.T) ([]elements.Common, error) {
	if len(list) != len(shares) {
		return nil, fmt.Errorf("%d shares of %d elements", len(shares), len(list))
	}
	var out []elements.Common
	for i := range list {
		v, err := valueOf(&list[i], t)
		if err != nil {
			return nil, err
		}
		out = append(out, elements.Common{Value: v, Share: shares[i]})
	}
	return out, nil
}
