package shop;

import java.util.List;

@Service
public final class Shop<T extends Item> extends Base implements Open { //=> Shop
    private final List<T> items = new ArrayList<>();
    private static final int LIMIT = compute(3);

    public Shop(Clock clock, List<T> items) { //=> Shop.Shop
        this.clock = clock;
    }

    public int size() { return items.size(); } //=> Shop.size

    @Override
    public String toString() { return "Shop"; } //=> Shop.toString

    static <K, V> Map<K, V> of(K key, V value) { //=> Shop.of
        return null;
    }

    public List<Map<String, Integer>> counts( //=> Shop.counts
            String name,
            int limit) throws IOException, TimeoutException {
        if (limit > 3) {
            return List.of();
        }
        for (T each : items) {
            each.close();
        }
        try (var in = open(name)) {
            in.read();
        } catch (IOException e) {
            throw e;
        }
        return null;
    }

    protected abstract void open(); //=> Shop.open

    private synchronized void close() //=> Shop.close
    {
        items.clear();
    }

    public record Price(int net, int gross) { //=> Shop.Price
    }

    interface Listener { //=> Shop.Listener
        default void changed() {} //=> Shop.Listener.changed
    }

    enum Colour { RED, GREEN } //=> Shop.Colour

    static { init(); }
}

enum State { ON, OFF } //=> State

/* package */ class Till { //=> Till
    /* package */ static int count(List<String> coins) { //=> Till.count
        Coin coin = new Coin(coins);
        return total(coin);
    }

    private native void ring(int times); //=> Till.ring
}

interface Listener<T> { //=> Listener
    void onSold(T item); //=> Listener.onSold

    Map<String, List<T>> sold(); //=> Listener.sold
}

@Retention(RetentionPolicy.RUNTIME)
public @interface Priced { //=> Priced
    int value(); //=> Priced.value
}

class Printer { //=> Printer
    synchronized Page print(int copies) { //=> Printer.print
        synchronized (lock) {
            return new Page(copies);
        }
    }
}
