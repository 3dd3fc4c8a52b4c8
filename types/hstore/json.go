package hstore

import (
	"zproxy/types/form"
	"zproxy/types/json"
	"zproxy/types/numeric"
)

// AppendJSON prints pairs as an object of JSON. A loose one has numbers where values look like them, and true and false
// for t and f.
func (s Set) AppendJSON(dst []byte, loose bool) []byte {
	dst = append(dst, '{')
	for i, p := range s.Pairs() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(json.AppendString(dst, p.Key), ": "...)
		switch p.kind(loose) {
		case json.Null:
			dst = append(dst, "null"...)
		case json.Bool:
			dst = json.Append(dst, &json.Value{Kind: json.Bool, Bool: p.Value == isTrue}, nil)
		case json.Number:
			dst = append(dst, p.Value...)
		default:
			dst = json.AppendString(dst, p.Value)
		}
	}
	return append(dst, '}')
}

// JSON is pairs as an object, loose as with AppendJSON.
func (s Set) JSON(loose bool, work form.Work) (*json.Value, error) {
	pairs := s.Pairs()
	keys, items := make([]string, len(pairs)), make([]json.Value, len(pairs))
	for i, p := range pairs {
		keys[i], items[i].Kind = p.Key, p.kind(loose)
		switch items[i].Kind {
		case json.Bool:
			items[i].Bool = p.Value == isTrue
		case json.String:
			items[i].Text = p.Value
		case json.Number:
			var err error
			if items[i].Number, err = numeric.Parse(p.Value); err != nil {
				return nil, err
			}
		}
	}
	return json.MakeObject(keys, items, work)
}

// The values that are no texts in a loose object.
const isTrue, isFalse = "t", "f"

func (p *Pair) kind(loose bool) json.Kind {
	switch {
	case p.Null:
		return json.Null
	case loose && (p.Value == isTrue || p.Value == isFalse):
		return json.Bool
	case loose && json.IsNumber(p.Value):
		return json.Number
	}
	return json.String
}
