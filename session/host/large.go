package host

import (
	"zproxy/catalog"
	"zproxy/catalog/large"
	"zproxy/cluster"
	"zproxy/expr/builtin/system"
	"zproxy/session/descriptor"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// LargeObjects are those of a database. It implements system.LargeObjects.
type LargeObjects struct{ *Call }

// The flags of lo_open.
const (
	forWriting = 0x20000
	forReading = 0x40000
)

// reading are the objects as the transaction sees them.
func (l LargeObjects) reading() (large.Objects, error) {
	return cluster.LargeObjects(l.Ctx, l.Txn, false)
}

// writing are the objects, for a function that writes.
func (l LargeObjects) writing(function string) (large.Objects, error) {
	if err := l.Block.RefuseReadOnly(function + "()"); err != nil {
		return large.Objects{}, err
	}
	return cluster.LargeObjects(l.Ctx, l.Txn, true)
}

// Create implements system.LargeObjects.
func (l LargeObjects) Create(id uint32) (uint32, error) {
	all, err := l.writing("lo_create")
	if err != nil {
		return 0, err
	}
	for any := id == 0; ; {
		if any {
			n, err := l.Node.NextID(l.Ctx)
			if err != nil {
				return 0, err
			}
			id = uint32(n)
		}
		switch x, err := all.Find(l.Ctx, id, false); {
		case err != nil:
			return 0, err
		case x == nil:
			return id, all.Put(&catalog.LargeObject{ID: id, Rights: catalog.Rights{Owner: l.Role()}})
		case !any:
			return 0, sqlerr.New(sqlerr.UniqueViolation,
				"duplicate key value violates unique constraint \"pg_largeobject_metadata_oid_index\"").
				WithDetail("Key (oid)=(%d) already exists.", id)
		}
	}
}

// find finds an object on which the present role has privileges.
func (l LargeObjects) find(all large.Objects, id uint32, wanted catalog.Privileges) error {
	x, err := all.Find(l.Ctx, id, wanted&catalog.MayUpdate != 0)
	switch {
	case err != nil:
		return err
	case x == nil:
		return missing(id)
	}
	if have, _ := l.schema().Privileges(l.Role(), x); have&wanted != wanted {
		return statement.Denied("permission denied for large object %d", id)
	}
	return nil
}

func missing(id uint32) error {
	return sqlerr.New(sqlerr.UndefinedObject, "large object %d does not exist", id)
}

// Unlink implements system.LargeObjects.
func (l LargeObjects) Unlink(id uint32) error {
	all, err := l.writing("lo_unlink")
	if err != nil {
		return err
	}
	x, err := all.Find(l.Ctx, id, false)
	switch {
	case err != nil:
		return err
	case x == nil:
		return missing(id)
	case !l.schema().Owns(l.Role(), x):
		return statement.Denied("must be owner of large object %d", id)
	}
	l.Descriptors.Close(func(_ int64, d *descriptor.Descriptor) bool { return d.Object == id })
	return all.Remove(l.Ctx, id)
}

// Open implements system.LargeObjects. What may be written may be read, too.
func (l LargeObjects) Open(id uint32, flags int64) (int64, error) {
	if flags&(forReading|forWriting) == 0 {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid flags for opening a large object: %d", flags)
	}
	o, err := l.open(id, flags&forWriting != 0, "lo_open")
	if err != nil {
		return 0, err
	}
	return l.Descriptors.Add(*o.Descriptor), nil
}

// Whole implements system.LargeObjects.
func (l LargeObjects) Whole(id uint32, write bool) (system.LargeObject, error) {
	return l.open(id, write, "lo_put")
}

func (l LargeObjects) open(id uint32, write bool, function string) (o largeObject, err error) {
	wanted := catalog.MaySelect
	if write {
		wanted |= catalog.MayUpdate
		o.all, err = l.writing(function)
	} else {
		o.all, err = l.reading()
	}
	if err == nil {
		err = l.find(o.all, id, wanted)
	}
	o.LargeObjects, o.Descriptor = l, &descriptor.Descriptor{Object: id, Writes: write}
	return o, err
}

// Close implements system.LargeObjects.
func (l LargeObjects) Close(fd int64) error {
	if l.Descriptors.Of(fd) == nil {
		return noDescriptor(fd)
	}
	l.Descriptors.Close(func(n int64, _ *descriptor.Descriptor) bool { return n == fd })
	return nil
}

func noDescriptor(fd int64) error {
	return sqlerr.New(sqlerr.UndefinedObject, "invalid large-object descriptor: %d", fd)
}

// Opened implements system.LargeObjects.
func (l LargeObjects) Opened(fd int64) (system.LargeObject, error) {
	d := l.Descriptors.Of(fd)
	if d == nil {
		return nil, noDescriptor(fd)
	}
	all, err := cluster.LargeObjects(l.Ctx, l.Txn, d.Writes)
	return largeObject{l, d, all, fd}, err
}

// largeObject is a large object that is open. It implements system.LargeObject.
type largeObject struct {
	LargeObjects
	*descriptor.Descriptor
	all large.Objects
	fd  int64
}

// Read implements system.LargeObject.
func (o largeObject) Read(n int64) ([]byte, error) {
	data, err := o.all.Read(o.Ctx, o.Object, o.At, n)
	o.At += int64(len(data))
	return data, err
}

// mayWrite refuses to write what was opened to be read.
func (o largeObject) mayWrite() error {
	if o.Writes {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "large object descriptor %d was not opened for writing",
		o.fd)
}

// Write implements system.LargeObject.
func (o largeObject) Write(data []byte) error {
	if err := o.mayWrite(); err != nil {
		return err
	}
	if o.At+int64(len(data)) > large.MostBytes {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid large object write request size: %d", len(data))
	}
	err := o.all.Write(o.Ctx, o.Object, o.At, data)
	o.At += int64(len(data))
	return err
}

// Move implements system.LargeObject.
func (o largeObject) Move(offset, whence int64) (int64, error) {
	switch whence {
	case 0:
	case 1:
		offset += o.At
	case 2:
		size, err := o.all.Size(o.Ctx, o.Object)
		if err != nil {
			return 0, err
		}
		offset += size
	default:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid whence setting: %d", whence)
	}
	if offset < 0 || offset > large.MostBytes {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid large object seek target: %d", offset)
	}
	o.At = offset
	return offset, nil
}

// Truncate implements system.LargeObject.
func (o largeObject) Truncate(at int64) error {
	if err := o.mayWrite(); err != nil {
		return err
	}
	if at < 0 || at > large.MostBytes {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid large object truncation target: %d", at)
	}
	return o.all.Truncate(o.Ctx, o.Object, at)
}
