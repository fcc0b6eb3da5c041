#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/oracle/driver.rs"]
mod driver;
#[path = "../tests/oracle/generate.rs"]
mod generate;
#[path = "../tests/oracle/random.rs"]
mod random;
#[path = "../tests/oracle/words.rs"]
mod words;
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut g = generate::Commands::new(seed);
    let place = common::place(&driver::ENVIRONMENT, driver::DIRECTORY);
    let mut k = 0;
    while k < n {
        let c = g.next();
        std::fs::write("/tmp/t/current", format!("{:?} {:?}", c.dash, c.text)).unwrap();
        let t = std::time::Instant::now();
        let r = common::read_text(&c.text, c.dialect(), &place);
        if t.elapsed().as_millis() > 100 {
            println!("{} ms {:?} {:?}", t.elapsed().as_millis(), c.dash, c.text);
        }
        if r.doubts.is_empty() {
            k += 1;
        }
    }
    println!("done");
}
