package catalog

import "zproxy/catalog/part"

// Dimension is one column of a Z-address and its binary representation.
type Dimension = part.Dimension

// MapKind is how a dimension spreads its values over its bits.
type MapKind = part.MapKind

// The kinds of maps, see part.MapKind.
const (
	MapRaw      = part.MapRaw
	MapRange    = part.MapRange
	MapQuantile = part.MapQuantile
)

// MapBits is how many bits a map knows of a value, and so the most that it can give.
const MapBits = part.MapBits
