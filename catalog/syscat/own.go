package syscat

import "zproxy/catalog"

// ownRelationsText has zproxy's own relations, as relationsText has PostgreSQL's. Their
// numbers are below those of users' relations, where PostgreSQL has none.
const ownRelationsText = ``

func ownRelations() []*catalog.Virtual { return readRelations(ownRelationsText) }
