package shop

import "fmt"

type Cart struct { //=> Cart
	items []Item
}

type Opener interface { //=> Opener
	Open(name string) error
}

type Price = int64 //=> Price
type Handler func(w Writer, r *Request) //=> Handler

func (c *Cart) Add(item Item) error { //=> Cart.Add
	if err := c.check(item); err != nil {
		return err
	}
	go func() {
		fmt.Println("x")
	}()
	return nil
}

func (c Cart) Len() int { return len(c.items) } //=> Cart.Len

func (Cart) Name() string { //=> Cart.Name
	return "cart"
}

func (l *List[T]) Push(value T) { //=> List.Push
	switch x := any(value).(type) {
	case int:
		_ = x
	}
}

func New(opts ...Option) *Cart { //=> New
	for i := range opts {
		opts[i](nil)
	}
	return &Cart{}
}

func Map[T, U any](in []T, f func(T) U) []U { //=> Map
	return nil
}

func (s *Server) Handle( //=> Server.Handle
	pattern string,
	handler Handler,
) error {
	return nil
}

func init() {} //=> init

var table = map[string]int{"a": 1}
const limit = 3

var (
	till = make(map[string]int)
)
