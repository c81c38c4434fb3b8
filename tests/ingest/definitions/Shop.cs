using System;

namespace Shop //=> Shop
{
    [Serializable]
    public sealed class Cart<T> : Base, IOpen where T : Item //=> Shop.Cart
    {
        private readonly List<T> items = new();
        public int Count { get; set; }
        public Cart(Clock clock) : base(clock) { } //=> Shop.Cart.Cart
        public int Size() => items.Count; //=> Shop.Cart.Size
        public int Add(T item) { items.Add(item); return 1; } //=> Shop.Cart.Add
        public async Task<int> SaveAsync(T item, CancellationToken token = default) //=> Shop.Cart.SaveAsync
        {
            foreach (var each in items)
            {
                await each.SaveAsync(token);
            }
            using (var x = Open())
            {
            }
            return 1;
        }
        public static Cart<T> Of<K>(K key) where K : struct //=> Shop.Cart.Of
        {
            return new Cart<T>(null);
        }
        public override string ToString() => $"{items.Count}"; //=> Shop.Cart.ToString
        [HttpGet("/x")]
        public IActionResult Get() { return Ok(); } //=> Shop.Cart.Get
        protected virtual void Dispose(bool disposing) //=> Shop.Cart.Dispose
        {
            lock (items)
            {
            }
        }
        public static bool operator ==(Cart<T> a, Cart<T> b) => true; //=> Shop.Cart.operator==
    }

    public record Price(int Net, int Gross); //=> Shop.Price
    public interface IOpen { void Open(); } //=> Shop.IOpen
    public enum Colour { Red, Green } //=> Shop.Colour
    public struct Point { public int X; } //=> Shop.Point
    internal static class Extensions //=> Shop.Extensions
    {
        public static int Twice(this int n) => 2 * n; //=> Shop.Extensions.Twice
    }
}

public interface IStock //=> IStock
{
    Task<int> CountAsync(CancellationToken token = default); //=> IStock.CountAsync
}

public class Scale //=> Scale
{
    public (int Grams, bool IsSure) Weigh(string item) //=> Scale.Weigh
    {
        Weight weight = Measure(item);
        return (weight.Grams, true);
    }

    public static Task<(string Name, int Grams)> Next<T>(IEnumerable<T> source) => Take(source); //=> Scale.Next

    protected abstract void Tare(int grams); //=> Scale.Tare
}
