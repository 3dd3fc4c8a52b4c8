package part

import "zproxy/types"

// Dimension is one column of a Z-address and its binary representation: names,
// order and representation are the whole schema of a Z-order index.
type Dimension struct {
	Column  uint32 // or an axis of a column of points
	Bits    int
	Map     MapKind
	Knots   []uint64 // of a learned map, see zorder.Map; without any the encoding stays as it is
	Version int      // of the map: how many times the index has been built
	// Prefix is what nearly all texts begin with that the map was learned from. It maps what follows: a text below the
	// prefix has the first code, and one above the last.
	Prefix []byte `json:",omitempty"`
	// Form is the name of the normal form of Unicode that texts are brought into before they are coded, or empty. Codes
	// then do not keep the order of values: they serve equality alone.
	Form string `json:",omitempty"`
	// AutoMap and AutoBits say that no statement asked for the map, or for the width. They are chosen
	// again when the index is built again.
	AutoMap  bool `json:",omitempty"`
	AutoBits bool `json:",omitempty"`
	// Low and High are the ends of the values that the map was made for, as texts.
	Low  string `json:",omitempty"`
	High string `json:",omitempty"`
}

// MapKind is how a dimension spreads its values over its bits.
type MapKind string

// The kinds of maps: the encoding as it is, one straight piece between the known bounds,
// pieces that hold equally many rows.
const (
	MapRaw      MapKind = "raw"
	MapRange    MapKind = "range"
	MapQuantile MapKind = "quantile"
)

// MapBits is how many bits a map knows of a value, and so the most that it can give.
const MapBits = 64

// Widths of dimensions that were given none. Of a map 2^32 cells are more than there are rows.
const (
	learnedBits = 32
	textBits    = 64
)

// CanBeDimension says whether values of a type have an encoding of a fixed length. Those of citext have none: a part of
// the bits is no beginning of a text in lower case, nor of one with a collation.
func CanBeDimension(t types.T) bool {
	if t.OID == types.OIDGeometry {
		return false
	}
	switch t.Kind() {
	case types.KindNull, types.KindPoint, types.KindJSON, types.KindJSONB, types.KindArray, types.KindRecord,
		types.KindRange, types.KindJSONPath, types.KindCitext, types.KindCollated:
		return false
	}
	return true
}

// EncodedBits is how many bits the encoding of a type as a dimension has, 0 for texts and the like,
// which have as many as one asks for.
func EncodedBits(t types.T) int {
	switch t.OID {
	case types.OIDBool:
		return 1
	case types.OIDInt2:
		return 16
	case types.OIDInt4, types.OIDDate, types.OIDFloat4:
		return 32
	case types.OIDUUID:
		return 128
	}
	switch t.Kind() {
	case types.KindText, types.KindBytes, types.KindBpchar, types.KindEnum:
		return 0
	}
	return 64
}

// RawBits is how many bits a dimension of a type has by default if its encoding stays as it is.
func RawBits(t types.T) int {
	if n := EncodedBits(t); n > 0 {
		return n
	}
	return textBits
}

// LearnedBits is how many bits it has by default if a map spreads its values.
func LearnedBits(t types.T) int { return min(RawBits(t), learnedBits) }
