package ast

// The kinds of objects of which users make none. The system has some, of all but subscriptions, event triggers,
// transforms and rules, which there are none of.
const (
	AccessMethodObject   ObjectKind = "access method"
	ConversionObject     ObjectKind = "conversion"
	EventTriggerObject   ObjectKind = "event trigger"
	WrapperObject        ObjectKind = "foreign-data wrapper"
	ServerObject         ObjectKind = "server"
	LanguageObject       ObjectKind = "language"
	OperatorClassObject  ObjectKind = "operator class"
	OperatorFamilyObject ObjectKind = "operator family"
	RuleObject           ObjectKind = "rule" // of a table, as a trigger
	SubscriptionObject   ObjectKind = "subscription"
	TablespaceObject     ObjectKind = "tablespace"
	TransformObject      ObjectKind = "transform"
	ConfigurationObject  ObjectKind = "text search configuration"
	DictionaryObject     ObjectKind = "text search dictionary"
	ParserObject         ObjectKind = "text search parser"
	TemplateObject       ObjectKind = "text search template"
	// SystemCatalogs is what REINDEX SYSTEM is about.
	SystemCatalogs ObjectKind = "system"
)

// AlterSystemObject is ALTER of such an object in words of its kind, such as ALTER SUBSCRIPTION ... DISABLE. What they
// say does not matter, since there is no object that could be altered.
type AlterSystemObject struct {
	Kind ObjectKind
	Of   Signature
}

// UserMapping is CREATE, ALTER and DROP USER MAPPING. There is no server that has any.
type UserMapping struct {
	Verb     string
	Role     RoleName
	Server   string
	IfExists bool
}

// CreateServer is CREATE SERVER. There is no wrapper that could have a server of users.
type CreateServer struct {
	Wrapper string
}

// CreateTransform is CREATE TRANSFORM. There is no function that could be one.
type CreateTransform struct {
	Type     TypeName
	Language string
	From, To *Signature // nil: none
}

// CreateConversion is CREATE CONVERSION. There is no function of users that could be one.
type CreateConversion struct {
	Name     Name
	From, To string // encodings
	Default  bool
	Function Name
}

// CreateAccessMethod is CREATE ACCESS METHOD. There is no function of users that could be its handler.
type CreateAccessMethod struct {
	Name    string
	Kind    string // i or t: of indexes or of tables
	Handler Name
}

func (*AlterSystemObject) statement()  {}
func (*UserMapping) statement()        {}
func (*CreateServer) statement()       {}
func (*CreateTransform) statement()    {}
func (*CreateConversion) statement()   {}
func (*CreateAccessMethod) statement() {}
