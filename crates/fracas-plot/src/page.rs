//! One HTML file that holds everything: words, tables and charts.

use crate::table::Table;

/// A page under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with a heading.
    ///
    /// ```
    /// let mut page = fracas_plot::Page::new("Report");
    /// page.heading("Times").text("All in milliseconds.");
    /// assert!(page.html().contains("<h2>Times</h2>"));
    /// ```
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), body: String::new() }
    }

    /// Begins a section.
    pub fn heading(&mut self, words: &str) -> &mut Self {
        self.body += &format!("<h2>{}</h2>\n", escaped(words));
        self
    }

    /// Adds a paragraph.
    pub fn text(&mut self, words: &str) -> &mut Self {
        self.body += &format!("<p>{}</p>\n", escaped(words));
        self
    }

    /// Adds a table.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        self.body += &format!("<div class=\"wide\">{}</div>\n", table.html());
        self
    }

    /// Adds a chart, as one of the charts drew it, with words below.
    pub fn figure(&mut self, svg: &str, words: &str) -> &mut Self {
        self.body += &format!("<figure>{svg}<figcaption>{}</figcaption></figure>\n", escaped(words));
        self
    }

    /// The whole file; it needs nothing beside itself.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{}</main>\n</body>\n</html>\n",
            self.body
        )
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2127;--soft:#545b64;--rule:#dfe3e8;--paper:#fff}\
@media (prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#aeb6bf;--rule:#3a4149;--paper:#16191d}}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,'Segoe UI','DejaVu Sans',sans-serif}\
main{max-width:980px;margin:0 auto;padding:1.5rem}\
h1{font-size:1.6rem}h2{margin-top:2.5rem;font-size:1.25rem;border-bottom:1px solid var(--rule)}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}\
caption{text-align:left;color:var(--soft);padding:.4rem 0}\
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:bottom}\
th.number,td.number{text-align:right}\
figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}figcaption{color:var(--soft);font-size:.9rem}";

/// Words as they may stand in HTML and SVG.
///
/// ```
/// assert_eq!(fracas_plot::escaped("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
/// ```
#[must_use]
pub fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
