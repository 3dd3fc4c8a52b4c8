package types

// The types of ranges that users made, of their multiranges, and of arrays of both have numbers made of those of their
// objects in the catalog. They lie below those of domains.
const (
	rangeObjects = 1 << 27
	multiranges  = 1 << 26
	rangeArrays  = 1 << 25
	rangesMask   = 1<<25 - 1
)

// RangeOID is the OID of the type of ranges of an object of the catalog, and that of arrays of them.
func RangeOID(number uint32) (one, array OID) {
	return rangeObjects | OID(number), rangeObjects | rangeArrays | OID(number)
}

// MultirangeOID is the OID of the type of multiranges of the same object, and that of arrays of them.
func MultirangeOID(number uint32) (one, array OID) {
	one, array = RangeOID(number)
	return one | multiranges, array | multiranges
}

// UserRange is the number of the object whose ranges, multiranges, or arrays of them, a type is; 0 when it is another
// type.
func (oid OID) UserRange() (number uint32, multi, array bool) {
	if oid < rangeObjects || oid >= domainTypes {
		return 0, false, false
	}
	return uint32(oid & rangesMask), oid&multiranges != 0, oid&rangeArrays != 0
}

// NewRangeType is the type of ranges of an object of the catalog.
func NewRangeType(number uint32, subtype T) *RangeType {
	r := &RangeType{Subtype: subtype}
	r.OID, r.Array = RangeOID(number)
	r.Multirange, r.MultiList = MultirangeOID(number)
	return r
}

// userRangeInfo is the entry of a type of ranges, multiranges, or arrays of them, of an object of the catalog. It has
// no OID, as the catalog knows its name.
func userRangeInfo(oid OID) *Info {
	number, multi, array := oid.UserRange()
	one, list := RangeOID(number)
	name := "anyrange"
	if multi {
		one, list = MultirangeOID(number)
		name = "anymultirange"
	}
	switch {
	case number == 0:
		return &otherInfo
	case array:
		return &Info{
			Name: "_" + name, SQL: name + "[]", Kind: KindArray, Category: CategoryArray, Size: -1, Element: one,
		}
	}
	return &Info{Name: name, SQL: name, Kind: KindRange, Category: CategoryRange, Size: -1, Array: list}
}
