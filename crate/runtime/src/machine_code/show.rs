//! Machine code in words, and beside its PTX and CUDA C++ as HTML. What is shown is found out in `align` and `compiled`.

use super::access::{Statement, statements};
use super::align::{Aligned, Fate};
use super::compiled::Compiled;
use super::{Instruction, MachineCode};
use cornerturn_base::html::{self, escape};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

impl MachineCode {
    /// One sentence for each way in which the machine code's memory instructions are others than the PTX's; empty where
    /// they are the same. Neighbours that share a fate share a sentence.
    pub fn differences(&self) -> Vec<String> {
        let mut groups: BTreeMap<String, Vec<&Aligned>> = BTreeMap::new();
        for site in &self.sites {
            if let Some(what) = self.fate_words(site) {
                groups.entry(what).or_default().push(site);
            }
            if site.is_predicated {
                let what = "predicated: where the PTX jumps over it, the machine code has a guard";
                groups.entry(what.to_string()).or_default().push(site);
            }
        }
        let mut sentences: Vec<(u32, String)> = groups
            .iter()
            .map(|(what, sites)| (sites[0].ptx_line, format!("{}: {what}", places(sites))))
            .collect();
        sentences.sort();
        let mut sentences: Vec<String> = sentences.into_iter().map(|(_, text)| text).collect();
        sentences.extend(self.stray_words());
        sentences
    }

    fn fate_words(&self, site: &Aligned) -> Option<String> {
        let opcode = |site: &Aligned| {
            let first = site.instructions.first();
            first.map_or_else(String::new, |&at| self.instructions[at].opcode.clone())
        };
        match &site.fate {
            Fate::Kept => None,
            Fate::Repeated => Some(format!("repeated, {} times each", site.instructions.len())),
            Fate::Leads { bytes, ptx_lines } => Some(format!(
                "merged, {} into one `{}` of {bytes} bytes{}",
                ptx_lines.len(),
                opcode(site),
                match site.instructions.len() {
                    1 => String::new(),
                    copies => format!(", repeated {copies} times"),
                }
            )),
            Fate::Merged { .. } => None,
            Fate::Dropped if site.access.space == "local" => {
                Some("kept in registers: the machine code has no such access".to_string())
            }
            Fate::Dropped => Some("dropped: the machine code has no such access".to_string()),
            Fate::Unknown(reason) => Some(format!("not to be told: {reason}")),
        }
    }

    /// Spills, and what instructions of whole fragments have become, by kind of instruction.
    fn stray_words(&self) -> Vec<String> {
        let all = statements(self.kernel.ptx_text(), self.kernel.entry());
        let what = |instruction: &Instruction| {
            if instruction
                .access()
                .is_some_and(|access| access.space == "local")
            {
                return "spilled: registers were too few".to_string();
            }
            let line = instruction.ptx_line;
            match all.iter().find(|statement| statement.ptx_line == line) {
                Some(statement) => format!("of `{}` in the PTX", statement.opcode),
                None => "of no instruction of the PTX".to_string(),
            }
        };
        let mut kinds: BTreeMap<(&str, String), usize> = BTreeMap::new();
        for instruction in self.strays.iter().map(|&at| &self.instructions[at]) {
            let kind = (instruction.opcode.as_str(), what(instruction));
            *kinds.entry(kind).or_default() += 1;
        }
        let words = kinds.into_iter();
        words
            .map(|((opcode, what), count)| format!("{count} × `{opcode}`: {what}"))
            .collect()
    }

    /// Shows CUDA C++, PTX and machine code side by side in a notebook or page.
    pub fn evcxr_display(&self) {
        html::show(&self.html());
    }

    /// CUDA C++ (where it is known), PTX and machine code side by side; one row for each run of PTX lines of the same
    /// line of source.
    pub fn html(&self) -> String {
        let text = self.kernel.ptx_text();
        let all = statements(text, self.kernel.entry());
        let used = |statement: &&Statement| {
            let line = statement.ptx_line;
            let is_own = self.sites.iter().any(|site| site.ptx_line == line);
            is_own
                || self.of_line(line).next().is_some()
                || !statement.opcode.starts_with("ld.param")
        };
        let lines = source_lines(text);
        let source: Vec<&str> = self.kernel.source().unwrap_or_default().lines().collect();
        let mut rows: Vec<(Option<u32>, Vec<&Statement>)> = Vec::new();
        for statement in all.iter().filter(used) {
            let line = lines.get(&statement.ptx_line).copied();
            match rows.last_mut() {
                Some((last, statements)) if *last == line => statements.push(statement),
                _ => rows.push((line, vec![statement])),
            }
        }
        let mut out = format!(
            "<figure class=\"ct-machine\">\n<figcaption>{}</figcaption>\n<table>\n<thead><tr><th>CUDA C++</th>\
             <th>PTX</th><th>{}</th></tr></thead>\n<tbody>\n",
            escape(&self.headline()),
            escape(&self.target)
        );
        for (line, statements) in &rows {
            let text_of = |line: u32| source.get((line as usize).checked_sub(1)?);
            let cpp = line.and_then(|line| Some((line, text_of(line)?)));
            let cpp = cpp.map_or_else(String::new, |(line, text)| {
                format!("{line} {}", text.trim())
            });
            let span = statements.len();
            for (at, statement) in statements.iter().enumerate() {
                out.push_str("<tr>");
                if at == 0 {
                    let _ = write!(
                        out,
                        "<td rowspan=\"{span}\"><code>{}</code></td>",
                        escape(&cpp)
                    );
                }
                let guard = if statement.is_guarded { "@%p " } else { "" };
                let ptx = format!("{guard}{} {}", statement.opcode, statement.operands);
                let machine: Vec<String> = self
                    .of_line(statement.ptx_line)
                    .map(|instruction| format!("<code>{}</code>", escape(&instruction.text)))
                    .collect();
                let (class, note) = self.note(statement);
                let _ = writeln!(
                    out,
                    "<td{class}><code>{}</code></td><td{class}>{}{note}</td></tr>",
                    escape(
                        ptx.split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" ")
                            .as_str()
                    ),
                    machine.join("<br>")
                );
            }
        }
        out.push_str("</tbody>\n</table>\n</figure>");
        out
    }

    /// The class of a row and what it says of a memory instruction.
    fn note(&self, statement: &Statement) -> (&'static str, String) {
        let Some(site) = self
            .sites
            .iter()
            .find(|site| site.ptx_line == statement.ptx_line)
        else {
            return ("", String::new());
        };
        let note = match &site.fate {
            Fate::Kept => return (" class=\"ct-access\"", String::new()),
            Fate::Repeated => format!("{} times", site.instructions.len()),
            Fate::Leads { bytes, ptx_lines } => {
                format!("{} accesses in one of {bytes} bytes", ptx_lines.len())
            }
            Fate::Merged { .. } => "merged with its neighbours".to_string(),
            Fate::Dropped if site.access.space == "local" => "in registers".to_string(),
            Fate::Dropped => "dropped".to_string(),
            Fate::Unknown(_) => "not to be told".to_string(),
        };
        let note = format!(" <em>{}</em>", escape(&note));
        (" class=\"ct-access ct-changed\"", note)
    }

    fn of_line(&self, ptx_line: u32) -> impl Iterator<Item = &Instruction> {
        let mut of_line = self
            .instructions
            .iter()
            .filter(move |instruction| instruction.ptx_line == ptx_line);
        let first = of_line.next();
        first.into_iter().chain(of_line)
    }

    fn headline(&self) -> String {
        let assembler = self.assembler.as_deref();
        format!(
            "{} for {}, by ptxas{}: {} instructions, a cubin of {} bytes",
            self.kernel.name(),
            self.target,
            assembler.map_or_else(String::new, |version| format!(" {version}")),
            self.instructions.len(),
            self.cubin_bytes
        )
    }
}

/// `line 91`, or `lines 91, 93, 95 and 21 more`.
fn places(sites: &[&Aligned]) -> String {
    const SHOWN: usize = 4;
    let mut lines: Vec<u32> = sites.iter().map(|site| site.ptx_line).collect();
    lines.dedup();
    let first: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    let first = first.join(", ");
    let kind = sites
        .first()
        .map_or_else(String::new, |site| site.access.to_string());
    match lines.len() {
        1 => format!("line {first} ({kind})"),
        count if count <= SHOWN => format!("lines {first} ({kind})"),
        count => format!("lines {first} and {} more ({kind})", count - SHOWN),
    }
}

/// The line of CUDA C++ of each line of PTX, from the `.loc` directives of the first file.
fn source_lines(ptx: &str) -> BTreeMap<u32, u32> {
    let mut lines = BTreeMap::new();
    let mut source = None;
    for (row, line) in (1..).zip(ptx.lines().map(str::trim)) {
        if let Some(place) = line.strip_prefix(".loc") {
            let mut words = place.split_whitespace();
            let is_first = words.next() == Some("1");
            let number = words.next().and_then(|number| number.parse().ok());
            source = number.filter(|_| is_first).or(source);
        } else if line.contains(".entry") || line.starts_with(".func") {
            source = None;
        }
        if let Some(source) = source {
            lines.insert(row, source);
        }
    }
    lines
}

impl fmt::Display for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        for difference in self.differences() {
            write!(f, "\n{difference}")?;
        }
        Ok(())
    }
}

impl Compiled {
    /// Shows the counters of the PTX and as compiled in a notebook or page: those that are not 0.
    pub fn evcxr_display(&self) {
        let rows: Vec<Vec<String>> = self
            .counters
            .iter()
            .filter(|(_, ptx, compiled)| *ptx > 0 || *compiled != Some(0))
            .map(|(name, ptx, compiled)| {
                let compiled = compiled
                    .map_or_else(|| "not to be told".to_string(), |count| count.to_string());
                vec![(*name).to_string(), ptx.to_string(), compiled]
            })
            .collect();
        let mut out = html::table("", &["counter", "PTX", "as compiled"], &rows).html;
        for reason in &self.unknown {
            out.push_str(&html::paragraph(
                "ct-launch",
                &format!("Not to be told: {reason}"),
            ));
        }
        html::show(&out);
    }
}

impl fmt::Display for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, ptx, compiled) in &self.counters {
            match compiled {
                Some(compiled) => writeln!(f, "{name}: {ptx}, as compiled {compiled}")?,
                None => writeln!(f, "{name}: {ptx}, as compiled not to be told")?,
            }
        }
        for reason in &self.unknown {
            writeln!(f, "not to be told: {reason}")?;
        }
        Ok(())
    }
}
