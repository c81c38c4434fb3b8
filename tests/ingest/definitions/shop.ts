import { Clock } from "./clock";
export const VAT = 0.19;
export const total = (prices: number[]): number => prices.reduce((a, b) => a + b, 0); //=> total
export const parse = async <T>(text: string): Promise<T> => { //=> parse
  return JSON.parse(text) as T;
};
const identity = x => x; //=> identity
export const useCart = ( //=> useCart
  id: string,
  options: CartOptions = {},
): Cart => {
  if (id) {
    return open(id);
  }
};
let later = function (done: () => void) { //=> later
  setTimeout(done, 10);
};
export default async function load(path: string) { //=> load
  for (const each of path) {
    console.log(each);
  }
}
export class Cart<T extends Item> extends Base implements Open { //=> Cart
  private items: T[] = [];
  constructor(private readonly clock: Clock, public id: string) {} //=> Cart.constructor
  static of(id: string): Cart<Item> { return new Cart(new Clock(), id); } //=> Cart.of
  get size(): number { return this.items.length; } //=> Cart.size
  async *pages(limit: number): AsyncGenerator<T> { //=> Cart.pages
    yield this.items[0];
  }
  add = (item: T): void => { //=> Cart.add
    this.items.push(item);
  };
  private async save( //=> Cart.save
    item: T,
    when: Date,
  ): Promise<void> {
    await this.write(item);
    while (true) { break; }
  }
  #secret() { //=> Cart.#secret
    return 1;
  }
}
export interface Item { name: string } //=> Item
export type Price = { net: number; gross: number }; //=> Price
export enum Colour { Red, Green } //=> Colour
declare module "x" {
}
export abstract class Shape { //=> Shape
  abstract area(): number; //=> Shape.area
}
namespace Money { //=> Money
  export function round(n: number): number { return Math.round(n); } //=> Money.round
}
describe("cart", () => {
  it("adds", () => {
    expect(1).toBe(1);
  });
});
if (total([1])) {
  console.log("x");
}
const answer = compute(1, 2);
module.exports.legacy = function (a) { return a; }; //=> legacy

export class Marbles { //=> Marbles
  cold<T = string>(marbles: string, values?: { [marble: string]: T }): Cold<T> { //=> Marbles.cold
    return ready ? this.make(marbles) : this.none();
  }

  delete(key: string): boolean { //=> Marbles.delete
    return drop(key);
  }
}
