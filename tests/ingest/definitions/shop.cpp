#include <vector>
#define LIMIT(x) (x)

namespace shop { //=> shop

template <typename T>
class Cart : public Base { //=> Cart
public:
  explicit Cart(int limit) : limit_(limit), items_() {} //=> Cart.Cart
  ~Cart() override { clear(); } //=> Cart.~Cart
  int size() const { return items_.size(); } //=> Cart.size
  bool operator==(const Cart& other) const { return true; } //=> Cart.operator==
  void add(const T& item);
  virtual void open() = 0; //=> Cart.open
  template <typename K> K get(int at) const noexcept { //=> Cart.get
    return items_[at];
  }

private:
  std::vector<T> items_;
  int limit_;
};

struct Point { int x; int y; }; //=> Point
enum class Colour { Red, Green }; //=> Colour
union Number { int i; float f; }; //=> Number

template <typename T>
void Cart<T>::add(const T& item) { //=> Cart::add
  if (items_.empty()) {
    items_.push_back(item);
  }
}

static inline int twice(int n) { return 2 * n; } //=> twice

std::vector<std::string> names( //=> names
    const std::map<int, std::string>& known,
    int limit)
{
  for (auto& each : known) {
    use(each);
  }
  switch (limit) {
  case 1: break;
  }
  return {};
}

unsigned long long Shop::Count() const //=> Shop::Count
{
  return 1;
}

int declared(int a);

int main(int argc, char** argv) { //=> main
  return twice(argc);
}

}  // namespace shop

Till::Till(std::string name, int coins) //=> Till::Till
    : name_(std::move(name)),
      coins_(coins > 0 ? coins : 0) {}

std::function<void(int)> ringer(int times) { //=> ringer
  return cond ? first(times)
              : second(times);
}

class Bell { //=> Bell
 public:
  Bell(const Bell &) = delete; //=> Bell.Bell
  virtual ~Bell() = default; //=> Bell.~Bell
};

/*static*/ int Bell::strikes(int hour) { //=> Bell::strikes
  return hour;
}
