//! The whole terminal as a screen of cells, for `ui` and `--watch`: raw keys, mouse events, and the alternate screen. It
//! is restored when its value is dropped, and before this process ends by a panic or a signal or is suspended.

use std::io::{self, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};

use ucp_core::error::Result;
use ucp_core::scratch;

/// True while the terminal is in raw mode.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether clicks and the wheel are events of the screen, or of the terminal, which then can select text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseMode {
    /// They are events of the screen.
    Captured,
    /// They are left to the terminal.
    Free,
}

/// A terminal in raw mode, with the alternate screen.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: MouseMode,
}

impl Screen {
    /// Takes over the terminal.
    ///
    /// # Errors
    /// Fails when the terminal cannot be put into raw mode or written.
    pub fn open(mouse: MouseMode) -> Result<Self> {
        scratch::before_abnormal_end(restore);
        enter(mouse)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| restore())?;
        Ok(Self { terminal, mouse })
    }

    /// Draws a frame. Only cells that changed are written.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// Stops this process as Ctrl-Z does elsewhere, and takes the terminal over again when it continues.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written.
    pub fn suspend(&mut self) -> Result<()> {
        restore();
        #[cfg(unix)]
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        enter(self.mouse)?;
        // A new one draws every cell. To clear the old one would ask the terminal for its cursor, and the answer would go to
        // the thread that reads keys.
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Copies a text to the clipboard of the terminal, by OSC 52. Terminals that do not support it ignore it.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written.
    pub fn copy(&mut self, text: &str) -> Result<()> {
        let mut stdout = io::stdout().lock();
        write!(stdout, "\x1b]52;c;{}\x07", BASE64.encode(text))?;
        stdout.flush()?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn enter(mouse: MouseMode) -> io::Result<()> {
    enable_raw_mode()?;
    IS_OPEN.store(true, Ordering::SeqCst);
    let entered = execute!(io::stdout(), EnterAlternateScreen, cursor::Hide).and_then(|()| match mouse {
        MouseMode::Captured => execute!(io::stdout(), EnableMouseCapture),
        MouseMode::Free => Ok(()),
    });
    entered.inspect_err(|_| restore())
}

/// Restores the terminal, if it is in raw mode. Errors are ignored: the terminal may be gone.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}

/// Sends keys, mouse events and new sizes from a thread, until the receiver is gone.
pub fn send_events<M: Send + 'static>(sender: Sender<M>, message: impl Fn(Event) -> M + Send + 'static) {
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(message(event)).is_err() {
                return;
            }
        }
    });
}
