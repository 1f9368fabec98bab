//! A server inside another program: `cargo run -p crdkit-server --example embedded -- 127.0.0.1:6443 TOKEN DIR`.
#![expect(clippy::print_stdout, reason = "a program that says where it listens")]

use crdkit_server::{Server, Settings};
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let token = arguments.next().unwrap_or_else(|| "secret".to_owned());
    let directory = arguments.next().unwrap_or_else(|| ".".to_owned());
    let mut settings = Settings::default();
    settings.garbage_collection = false;
    settings.namespace_deletion = false;
    let server = Server::builder()
        .listen(address.parse()?)
        .administrator_token(&token)
        .settings(settings)
        .start()
        .await?;
    std::fs::write(format!("{directory}/ca.crt"), server.authority())?;
    std::fs::write(format!("{directory}/kubeconfig"), server.kubeconfig())?;
    println!("{}", server.url());
    std::future::pending::<()>().await;
    Ok(())
}
