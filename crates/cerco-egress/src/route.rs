//! From a host's name to addresses that may be connected to. The name is looked up here,
//! outside, and the very address that was checked is the one that is connected to: a
//! second look-up could answer otherwise (DNS rebinding).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// Why a host can't be reached.
#[derive(Debug, thiserror::Error)]
pub enum NoRoute {
    /// Its name leads to this computer, its network, or nowhere public.
    #[error("its name leads to {0}, which is no address of the public network")]
    NotPublic(IpAddr),
    /// The look-up failed.
    #[error("its name can't be looked up: {0}")]
    Unknown(#[source] io::Error),
}

/// Finds the addresses of a host that was allowed.
pub trait Route: Send + Sync {
    /// The addresses to try, in order, each fit to be connected to. Never none.
    fn to(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NoRoute>;
}

/// The look-up of a name, as the system does it.
type LookUp = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// The public network, by this system's name service.
#[derive(Clone, Copy, Debug)]
pub struct Internet {
    look_up: LookUp,
}

impl Default for Internet {
    fn default() -> Self {
        Self::with(|host, port| Ok((host, port).to_socket_addrs()?.collect()))
    }
}

impl Internet {
    /// With another name service.
    #[must_use]
    pub fn with(look_up: LookUp) -> Self {
        Self { look_up }
    }
}

impl Route for Internet {
    fn to(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NoRoute> {
        let found = (self.look_up)(host, port).map_err(NoRoute::Unknown)?;
        let (public, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|at| is_public(at.ip()));
        if public.is_empty() {
            return Err(match others.first() {
                Some(at) => NoRoute::NotPublic(at.ip()),
                None => NoRoute::Unknown(io::ErrorKind::NotFound.into()),
            });
        }
        Ok(public)
    }
}

/// Networks of IPv4 that aren't the public one: first address, length of the prefix.
const NOT_PUBLIC: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::UNSPECIFIED, 8), // this network; Linux connects it to itself
    (Ipv4Addr::new(10, 0, 0, 0), 8), // private
    (Ipv4Addr::new(100, 64, 0, 0), 10), // carriers' and overlay networks
    (Ipv4Addr::new(127, 0, 0, 0), 8), // this computer
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local; clouds serve credentials there
    (Ipv4Addr::new(172, 16, 0, 0), 12), // private
    (Ipv4Addr::new(192, 0, 0, 0), 24), // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24), // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24), // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16), // private
    (Ipv4Addr::new(198, 18, 0, 0), 15), // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24), // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 3), // multicast, reserved, broadcast
];

/// Whether `ip` is an address of the public network.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let bits = ip.to_bits();
    !NOT_PUBLIC
        .iter()
        .any(|(network, length)| (bits ^ network.to_bits()) >> (32 - length) == 0)
}

/// Only what is assigned for the public network, less what is inside it for other ends; an
/// address that carries one of IPv4 counts as that one.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let Some(inner) = ip.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    match ip.segments() {
        // NAT64: the network's own translator connects to the IPv4 address at the end.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let bits = (u32::from(high) << 16) | u32::from(low);
            is_public_v4(Ipv4Addr::from_bits(bits))
        }
        // Teredo, benchmarks, ORCHID and their like; documentation; 6to4, which carries an
        // IPv4 address; documentation again.
        [0x2001, 0..0x0200 | 0x0db8, ..] | [0x2002, ..] | [0x3fff, 0..0x1000, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_network_is_public() {
        for (ip, expected) in [
            ("1.1.1.1", true),
            ("151.101.0.223", true),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("10.0.0.1", false),
            ("100.63.255.255", true),
            ("100.64.0.1", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.8.8.8", false),
            ("169.254.169.254", false),
            ("172.15.0.1", true),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("172.32.0.1", true),
            ("192.0.0.192", false),
            ("192.168.1.1", false),
            ("198.19.0.1", false),
            ("223.255.255.255", true),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700::6810:1", true),
            ("2a04:4e42::223", true),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b::a00:1", false),
            ("64:ff9b::101:101", true),
            ("64:ff9b:1::101:101", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("ff02::1", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("2002:7f00:1::1", false),
            ("3fff:1::1", false),
            ("5f00::1", false),
        ] {
            assert_eq!(is_public(ip.parse().unwrap()), expected, "{ip}");
        }
    }

    #[test]
    fn a_name_that_leads_inside_has_no_route() {
        let inside = Internet::with(|_, port| Ok(vec![([127, 0, 0, 1], port).into()]));
        assert!(matches!(
            inside.to("a.example", 443),
            Err(NoRoute::NotPublic(_))
        ));
        let nowhere = Internet::with(|_, _| Ok(Vec::new()));
        assert!(matches!(
            nowhere.to("a.example", 443),
            Err(NoRoute::Unknown(_))
        ));
        let mixed = Internet::with(|_, port| {
            Ok(vec![
                ([10, 0, 0, 1], port).into(),
                ([1, 1, 1, 1], port).into(),
            ])
        });
        let found = mixed.to("a.example", 443).unwrap();
        assert_eq!(found, [SocketAddr::from(([1, 1, 1, 1], 443))]);
    }
}
