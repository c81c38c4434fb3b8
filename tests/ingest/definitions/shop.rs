use std::fmt;

pub struct Cart { //=> Cart
    items: Vec<Item>,
}

pub struct Unit; //=> Unit
pub struct Pair(pub u8, pub u8); //=> Pair

pub enum Colour { Red, Green } //=> Colour

pub trait Open { //=> Open
    fn open(&self) -> io::Result<()>; //=> Open.open
    fn twice(&self) { self.open(); } //=> Open.twice
}

impl Cart { //=> Cart
    pub const fn len(&self) -> usize { self.items.len() } //=> Cart.len
    pub(crate) async fn add<T: Into<Item>>( //=> Cart.add
        &mut self,
        item: T,
    ) -> Result<(), Error>
    where
        T: Clone,
    {
        if let Some(x) = self.find(&item) {
            return Ok(());
        }
        Ok(())
    }
    pub unsafe fn raw(&self) -> *const u8 { self.items.as_ptr() } //=> Cart.raw
}

impl fmt::Display for Cart { //=> Cart
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { //=> Cart.fmt
        write!(f, "{}", self.items.len())
    }
}

impl<'a, T> Iterator for Pages<'a, T> where T: Clone { //=> Pages
    type Item = T; //=> Pages.Item
    fn next(&mut self) -> Option<T> { None } //=> Pages.next
}

impl<T> Stack<T> { //=> Stack
    pub fn push(&mut self, value: T) { self.0.push(value) } //=> Stack.push
}

macro_rules! cart { //=> cart
    ($x:expr) => { $x };
}

pub type Result<T> = std::result::Result<T, Error>; //=> Result

pub fn main() { //=> main
    match cart() {
        Some(x) => println!("x"),
        None => {}
    }
    while let Some(x) = next() {
    }
}

#[cfg(test)]
mod tests { //=> tests
    use super::*;

    #[test]
    fn it_adds() { //=> tests.it_adds
        assert_eq!(1, 1);
    }
}

pub(crate) use self::till::{Coin, Till};

impl Report { //=> Report
    pub fn print(&self) -> Result<()> { //=> Report.print
        Ok(())
    }
}

impl Bytes for [u8] { //=> u8
    fn assert(&self) {} //=> u8.assert
}
