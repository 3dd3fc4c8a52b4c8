package types

// The types of domains, and of arrays of them, have numbers made of those of their objects in the catalog. They lie
// below those of enums.
const (
	domainTypes  = 1 << 28
	domainArrays = domainTypes | 1<<27
	domainsMask  = 1<<27 - 1
)

// Domain is what a type has besides that of its values: the name of a domain, or of arrays of one. Values know
// nothing of it, and all that reads and compares them goes by the type below, which T is otherwise.
type Domain struct {
	OID     OID
	Name    string  `json:"-"`
	Schema  string  `json:"-"`
	Element *Domain `json:"-"` // of arrays of a domain: the domain
	Array   *Domain `json:"-"` // of a domain: arrays of it, nil where there are none
	Base    T       `json:"-"` // what a domain is over, perhaps another domain
}

// DomainOID is the OID of the domain of an object of the catalog, and that of arrays of it.
func DomainOID(number uint32) (domain, array OID) {
	return domainTypes | OID(number), domainArrays | OID(number)
}

// Domain is the number of the object whose domain, or arrays of it, an OID means; 0 when it is another type.
func (oid OID) Domain() (number uint32, array bool) {
	if oid < domainTypes || oid >= enumTypes {
		return 0, false
	}
	return uint32(oid & domainsMask), oid >= domainArrays
}

// Number is the OID by which the catalog knows a type: that of a domain, not of what lies below.
func (t T) Number() OID {
	if t.Domain != nil {
		return t.Domain.OID
	}
	return t.OID
}

// Base is the type of values below a domain, or below arrays of one.
func (t T) Base() T {
	t.Domain = nil
	return t
}

// Under is the type below a domain, which is none itself.
func (t T) Under() T {
	for t.IsDomain() {
		t = t.Domain.Base
	}
	return t
}

// IsDomain says whether a type is a domain, which arrays of domains are not.
func (t T) IsDomain() bool { return t.Domain != nil && t.Domain.Element == nil }

// Sent is the OID that clients see of results: of a domain, that of what it is over.
func (t T) Sent() OID {
	if t.IsDomain() {
		return t.Domain.Base.Sent()
	}
	return t.Number()
}

// OfDomain is a type as a domain over it, or of arrays of a domain, has it.
func (d *Domain) OfDomain() T {
	t := d.Base
	if d.Element != nil {
		t, _ = ArrayOf(d.Element.Base.Base())
	}
	t.Domain = d
	return t
}
