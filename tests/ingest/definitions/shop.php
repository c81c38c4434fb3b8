<?php

namespace App\Shop;

use App\Base;

#[Attribute]
final class Cart extends Base implements Countable //=> Cart
{
    use Logs;

    private array $items = [];

    public function __construct(private Clock $clock, public readonly int $id = 0) {} //=> Cart.__construct

    public function count(): int { return count($this->items); } //=> Cart.count

    public static function of(string ...$names): static //=> Cart.of
    {
        foreach ($names as $name) {
            echo $name;
        }
        return new static();
    }

    abstract protected function open(): void; //=> Cart.open

    private function &items(): array //=> Cart.items
    {
        return $this->items;
    }
}

interface Opens { public function open(): void; } //=> Opens

trait Logs //=> Logs
{
    protected function log(string $text): void //=> Logs.log
    {
        if ($text) {
            error_log($text);
        }
    }
}

enum Colour: string //=> Colour
{
    case Red = 'red';
    public function label(): string { return ucfirst($this->value); } //=> Colour.label
}

function total(array $prices): float { //=> total
    return array_sum($prices);
}

$twice = function (int $n): int { //=> $twice
    return 2 * $n;
};
$thrice = fn ($n) => 3 * $n; //=> $thrice
