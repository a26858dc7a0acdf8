//! Declarations of the syntax tree as text: functions, variables, types, and what a source asks of its templates.

use super::expressions::expr;
use super::types::{arguments, parameter, spelled};
use super::{Printer, small};
use crate::source::Span;
use crate::syntax::{
    EnumSyntax, Function, Init, Item, MemberType, Name, Runs, Storage, StructSyntax,
    TemplateParameter, TypeKind, TypeSyntax, Variable,
};

impl Printer<'_> {
    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Function(function) => self.function(function, ""),
            Item::Guide(function) => self.function(function, "guide "),
            Item::Variables(variables) => {
                let own = variables.iter().filter(|one| !one.span.is_header());
                own.for_each(|variable| self.variable(variable));
            }
            Item::Types(ty) => self.types(ty),
            Item::Alias(name, ty, template) => self.alias(name, ty, template.as_deref()),
            Item::VariableTemplate(template) => {
                if !template.variable.span.is_header() {
                    let words = template_of(Some(&template.template));
                    self.line(template.variable.span, &words);
                    self.inside(|printer| printer.variable(&template.variable));
                }
            }
            Item::StaticAssert(stmt) => {
                if !stmt.span.is_header() {
                    self.line(stmt.span, &small(stmt));
                }
            }
            Item::Instance(name, list, _, span) => {
                let list = list.as_ref().map(|list| arguments(list));
                let words = format!("instance {name}{}", list.unwrap_or_default());
                self.line(*span, &words);
            }
            Item::Launched(name, list, _, span) => {
                self.line(*span, &format!("launched {name}{}", arguments(list)));
            }
            Item::OfHost(name) => self.line(Span::HEADER, &format!("host {name}")),
        }
    }

    fn alias(&mut self, name: &Name, ty: &TypeSyntax, template: Option<&[TemplateParameter]>) {
        if !ty.span.is_header() {
            let template = template_of(template);
            self.line(
                ty.span,
                &format!("{template}using {name} = {}", spelled(ty)),
            );
        }
    }

    fn function(&mut self, function: &Function, before: &str) {
        if function.span.is_header() {
            return;
        }
        let runs = match function.runs {
            Runs::Anywhere => "",
            Runs::Kernel => "kernel ",
            Runs::Device => "device ",
            Runs::Host => "host ",
        };
        let template = template_of(function.template.as_deref());
        let takes: Vec<String> = function.parameters.iter().map(parameter).collect();
        let (name, returns) = (&function.name, spelled(&function.returns));
        let special = function.special.as_ref().map(|list| arguments(list));
        let special = special.unwrap_or_default();
        let takes = takes.join(", ");
        let words = format!("{template}{before}{runs}function {name}{special}({takes}) {returns}");
        self.line(function.span, &words);
        self.inside(|printer| {
            for init in &function.member_inits {
                let values: Vec<String> = init.values.iter().map(expr).collect();
                let words = format!("member {} = ({})", init.name, values.join(" "));
                printer.line(init.span, &words);
            }
            if let Some(body) = &function.body {
                printer.stmt(body);
            }
        });
    }

    pub(super) fn variable(&mut self, variable: &Variable) {
        let storage = match variable.storage {
            Storage::Plain => "",
            Storage::Shared => "__shared__ ",
            Storage::ExternShared => "extern __shared__ ",
            Storage::Constant => "__constant__ ",
            Storage::Device => "__device__ ",
            Storage::Managed => "__managed__ ",
        };
        let values = |list: &[crate::syntax::Expr]| {
            let list: Vec<String> = list.iter().map(expr).collect();
            list.join(" ")
        };
        let init = match &variable.init {
            Init::None => String::new(),
            Init::Value(value) => format!(" = {}", expr(value)),
            Init::Brackets(list) => format!(" = ({})", values(list)),
            Init::Braces(list) => format!(" = {{{}}}", values(list)),
        };
        let constexpr = if variable.is_constexpr {
            "constexpr "
        } else {
            ""
        };
        let (name, ty) = (&variable.name, spelled(&variable.ty));
        let words = format!("variable {storage}{constexpr}{ty} {name}{init}");
        self.line(variable.span, &words);
    }

    /// A struct or an enumeration.
    pub(super) fn types(&mut self, ty: &TypeSyntax) {
        match &ty.kind {
            TypeKind::Struct(of) if !of.span.is_header() => self.structure(of),
            TypeKind::Enum(of) if !ty.span.is_header() => self.enumeration(ty.span, of),
            _ => {}
        }
    }

    fn structure(&mut self, of: &StructSyntax) {
        let word = if of.is_union { "union" } else { "struct" };
        let bases: Vec<String> = of.bases.iter().map(spelled).collect();
        let bases = match bases.is_empty() {
            true => String::new(),
            false => format!(" : {}", bases.join(", ")),
        };
        let template = template_of(of.template.as_deref());
        let words = format!("{template}{word} {}{bases}", of.name);
        self.line(of.span, &words);
        self.inside(|printer| {
            for (_, member) in &of.types {
                match member {
                    MemberType::Alias(name, ty, template) => {
                        printer.alias(name, ty, template.as_deref());
                    }
                    MemberType::Type(ty) => printer.types(ty),
                    MemberType::Using(name) => printer.line(of.span, &format!("using {name}")),
                }
            }
            of.fields.iter().for_each(|field| printer.variable(field));
            let functions = of.functions.iter().chain(&of.friends);
            functions.for_each(|function| printer.function(function, ""));
        });
    }

    fn enumeration(&mut self, span: Span, of: &EnumSyntax) {
        let name = of.name.as_deref().unwrap_or("");
        let values = of.values.iter().map(|(name, value)| match value {
            Some(value) => format!("{name} = {}", expr(value)),
            None => name.to_string(),
        });
        let values: Vec<String> = values.collect();
        self.line(span, &format!("enum {name} {{{}}}", values.join(", ")));
    }
}

/// `template <typename T, int N>`, with a blank behind it; nothing where there is none.
fn template_of(template: Option<&[TemplateParameter]>) -> String {
    let Some(template) = template else {
        return String::new();
    };
    let names: Vec<String> = template.iter().map(template_parameter).collect();
    format!("template <{}> ", names.join(", "))
}

fn template_parameter(parameter: &TemplateParameter) -> String {
    match parameter {
        TemplateParameter::Type(name, _) => format!("typename {name}"),
        TemplateParameter::Value(name, ty, _) => format!("{} {name}", spelled(ty)),
        TemplateParameter::Template(name, _) => format!("template {name}"),
        TemplateParameter::Pack(of) => format!("{}...", template_parameter(of)),
    }
}
